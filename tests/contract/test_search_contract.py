"""What a search promises, whatever keeps the library."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from documents import SPEC, some_text, some_words, stored
from libraries import STORES, opened_stores
from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.fingerprints.shingles import overlap, shingle_hashes
from paperless_fingerprint.library.related import walk
from paperless_fingerprint.library.search import SORTS, Request, Search
from paperless_fingerprint.model import VersionChain
from paperless_fingerprint.query import likeness, plan
from paperless_fingerprint.query.language import MAX_HEIGHT, QueryError, parse
from paperless_fingerprint.query.searcher import Asker, Order, Scope
from paperless_fingerprint.query.tree import Reference
from paperless_fingerprint.stores.base import document_uuid
from paperless_fingerprint.stores.opening import searcher_of

TOKENS = some_words(2000, seed=42)
#: id -> words, each a prefix of the longest: Alfresco's own test.
ALFRESCO = {1: 2000, 2: 1000, 3: 1500, 4: 750}


class Asking:
    """A store, and what is asked of it."""

    def __init__(self, store) -> None:
        self.store = store
        self.searcher = searcher_of(store)
        self.search = Search(store, self.searcher, SPEC)

    def __call__(self, query: str, **more):
        return self.search.run(Request(query, **more))

    def ids(self, query: str, **more) -> list[int]:
        return [hit.id for hit in self(query, **more).hits]


@pytest.fixture(params=[store for store in STORES if "reopened" not in store.id])
def asking(request, tmp_path):
    with opened_stores(request.param, request, tmp_path) as make:
        made = Asking(make())
        yield made
        made.searcher.close()


def fill_as_alfresco_does(store) -> None:
    store.put([stored(id, " ".join(TOKENS[:count])) for id, count in ALFRESCO.items()])


def alfresco_figures(ask, name) -> None:
    """The source is no hit here; there it came first."""
    assert ask.ids(f"FINGERPRINT:{name(1)}") == [3, 2, 4]
    assert ask.ids(f"FINGERPRINT:{name(1)}_70") == [3]
    assert ask.ids(f"FINGERPRINT:{name(1)}_45") == [3, 2]
    assert sorted(ask.ids(f"FINGERPRINT:{name(4)}")) == [1, 2, 3]
    assert sorted(ask.ids(f"FINGERPRINT:{name(4)}_30")) == [1, 2, 3]


def test_the_figures_of_alfrescos_own_test_hold(asking) -> None:
    fill_as_alfresco_does(asking.store)
    alfresco_figures(asking, str)


def test_by_uuid_and_by_address_too(asking) -> None:
    fill_as_alfresco_does(asking.store)
    namespace = asking.store.namespace
    alfresco_figures(asking, lambda id: document_uuid(namespace, id))
    uuid = document_uuid(namespace, 1).upper()
    assert asking.ids(f'FINGERPRINT:"workspace://SpacesStore/{uuid}_70"') == [3]
    assert asking.ids('FINGERPRINT:"http://paperless:8000/documents/1/details_45"') == [3, 2]


def test_a_metadata_change_keeps_them_and_a_text_change_does_not(asking) -> None:
    fill_as_alfresco_does(asking.store)
    known = asking.store.get(list(ALFRESCO))
    asking.store.put_metadata([replace(r.document, title="renamed") for r in known.values()])
    alfresco_figures(asking, str)
    asking.store.put([stored(3, some_text(1500, seed=5))])
    assert asking.ids("FINGERPRINT:1") == [2, 4]
    assert asking.ids("FINGERPRINT:3") == []
    asking.store.delete([2])
    assert asking.ids("FINGERPRINT:1") == [4]


def test_figures_are_exact(asking) -> None:
    fill_as_alfresco_does(asking.store)
    hashes = {
        id: shingle_hashes(" ".join(TOKENS[:count]), SPEC.shingle_words)
        for id, count in ALFRESCO.items()
    }
    for hit in asking("FINGERPRINT:2").hits:
        true = overlap(hashes[2], hashes[hit.id])
        assert hit.jaccard == pytest.approx(true.jaccard, abs=1e-6)
        assert hit.containment == pytest.approx(true.containment_ab, abs=1e-6)
        assert hit.reverse_containment == pytest.approx(true.containment_ba, abs=1e-6)
        assert hit.distance == pytest.approx(1 - true.jaccard, abs=1e-6)
    assert asking.ids("SIMILAR:1_74") == [3]
    assert asking.ids("SIMILAR:2_60") == [4, 3]
    assert sorted(asking.ids("WITHIN:2_100")) == [4]
    assert asking.ids("WITHIN:2_60") == [4, 3]


def test_likeness_joins_with_everything_else(asking) -> None:
    fill_as_alfresco_does(asking.store)
    late = TOKENS[1200]  # in documents 1 and 3
    assert asking.ids(f"FINGERPRINT:1_20 AND {late}") == [3]
    assert asking.ids(f"FINGERPRINT:1_20 -{late}") == [2, 4]
    assert asking.ids(f"NOT FINGERPRINT:1_45 AND NOT {late}") == [4]
    assert sorted(asking.ids(f"FINGERPRINT:1_70 OR FINGERPRINT:3_90 OR {late}")) == [1, 3]
    assert asking.ids("FINGERPRINT:1_20 FINGERPRINT:3_60") == [2]
    assert sorted(asking.ids("NOT FINGERPRINT:1_20")) == [1]
    assert asking.ids("FINGERPRINT:1_20 id:[3 TO *]") == [3, 4]


def test_figures_belong_to_the_first_positive_term(asking) -> None:
    fill_as_alfresco_does(asking.store)
    [hit] = asking("NOT FINGERPRINT:3_99 FINGERPRINT:1_20 FINGERPRINT:2_20 id:4").hits or [None]
    assert hit is not None
    assert hit.containment == pytest.approx(748 / 1998, abs=1e-4)
    assert all(hit.jaccard is None for hit in asking("document -FINGERPRINT:1_70").hits)


def test_unknown_sources_find_nothing_and_say_so(asking) -> None:
    fill_as_alfresco_does(asking.store)
    for name in ("77", "99999999999", "nobody", document_uuid(asking.store.namespace, 77)):
        answer = asking(f"FINGERPRINT:{name}_20")
        assert (answer.hits, answer.total, answer.total_is_exact) == ((), 0, True)
        assert "There is no document" in answer.notes[0]
    assert sorted(asking.ids("NOT FINGERPRINT:77_20")) == [1, 2, 3, 4]


def test_a_source_without_enough_text_finds_nothing_and_says_so(asking) -> None:
    asking.store.put([stored(1, "only a few words"), stored(2, ""), stored(3, "only a few words")])
    for id in (1, 2):
        answer = asking(f"FINGERPRINT:{id}")
        assert answer.hits == ()
        assert "words" in answer.notes[0]


def test_older_versions_are_left_out_unless_asked_for(asking) -> None:
    fill_as_alfresco_does(asking.store)
    asking.store.replace_chains([2, 4], [VersionChain("v2", (4, 2))])
    assert asking.ids("FINGERPRINT:1") == [3, 2]
    assert asking("document").total == 3
    assert asking("document", scope=Scope(include_history=True)).total == 4
    hits = asking("FINGERPRINT:1", scope=Scope(include_history=True)).hits
    assert {hit.id: hit.is_latest for hit in hits} == {3: True, 2: True, 4: False}
    asking.store.replace_chains([2, 4], [])
    assert asking.ids("FINGERPRINT:1") == [3, 2, 4]
    assert all(hit.is_latest for hit in asking("document").hits)


# Who may view what ---------------------------------------------------------------------------


def fill_for_viewers(store) -> None:
    text = " ".join(TOKENS[:300])
    store.put(
        [
            stored(1, text, title="geheim eins", owner=None),
            stored(2, text, title="geheim zwei", owner="7"),
            stored(3, text, title="geheim drei", owner="8", viewers=("7",)),
            stored(4, text, title="geheim vier", owner="8", viewers=("group:3",)),
            stored(5, text, title="geheim einzig", owner="8", viewers=("group:7", "77")),
        ]
    )


ASKERS = [
    (None, {1, 2, 3, 4, 5}),
    (Asker("9", superuser=True), {1, 2, 3, 4, 5}),
    (Asker("7"), {1, 2, 3}),
    (Asker("7", visible=frozenset({1, 3, 4})), {1, 3}),
    (Asker("7", visible=frozenset(range(2, 150_000))), {2, 3}),
    (Asker("7", ("3",)), {1, 2, 3, 4}),
    (Asker("3"), {1}),
    (Asker("8"), {1, 3, 4, 5}),
    (Asker("", ("7",)), {1, 5}),
    (Asker(), {1}),
]


def test_nobody_learns_of_what_they_may_not_view(asking) -> None:
    fill_for_viewers(asking.store)
    for asker, visible in ASKERS:
        learns_of_these_alone(asking, Scope(asker), visible)


def learns_of_these_alone(asking, scope: Scope, visible: set[int]) -> None:
    unknown = asking("FINGERPRINT:99", scope=scope).notes[0]
    for query in ("geheim", "*", "NOT fehlt", "title:ge*", "id:[1 TO *]", "NOT FINGERPRINT:99"):
        answer = asking(query, scope=scope)
        assert {hit.id for hit in answer.hits} == visible
        assert (answer.total, answer.total_is_exact) == (len(visible), True)
        assert asking(query, scope=scope, limit=1).total == len(visible)
    for source in range(1, 6):
        answer = asking(f"FINGERPRINT:{source}", scope=scope)
        found = {hit.id for hit in answer.hits}
        assert found == (visible - {source} if source in visible else set())
        assert answer.total == len(found)
        if source not in visible:
            assert answer.notes[0] == unknown.replace("99", str(source))
        among = asking(f"geheim -FINGERPRINT:{source}_50", scope=scope)
        assert {hit.id for hit in among.hits} == (
            visible & {source} if source in visible else visible
        )


def test_who_sees_less_sees_it_in_the_same_order(asking) -> None:
    """However many of the best hits are hidden."""
    asking.store.put(
        [
            stored(n, "geheim " * (1 + n % 4) + f"ordner {'wort ' * (n % 7)}",
                   owner=None if n > 50 and n % 3 else "8", viewers=("3",) if n % 10 == 1 else ())
            for n in range(1, 81)
        ]
    )  # fmt: skip
    for query in ("geheim", "geheim ordner", "geheim^2 ordner", "ge*"):
        shows_them_in_the_same_order(asking, query)


def shows_them_in_the_same_order(asking, query: str) -> None:
    everybody = asking.ids(query)
    visible = {n for n in range(1, 81) if (n > 50 and n % 3) or n % 10 == 1}
    expected = [id for id in everybody if id in visible]
    assert len(everybody) == 80
    scope = Scope(Asker("3"))
    assert asking.ids(query, scope=scope) == expected
    for limit in (1, 5, 20, len(expected), 70):
        answer = asking(query, scope=scope, limit=limit)
        assert [hit.id for hit in answer.hits] == expected[:limit]
        assert (answer.total, answer.total_is_exact) == (len(expected), True)
        behind = asking.ids(query, scope=scope, limit=limit, offset=3)
        assert behind == expected[3 : 3 + limit]


def test_how_rare_a_word_is_among_hidden_documents_shows_nowhere(asking) -> None:
    fill_for_viewers(asking.store)
    scope = Scope(Asker("3"))
    before = asking("geheim", scope=scope)
    asking.store.put([stored(n, f"geheim {n}", owner="8") for n in range(20, 60)])
    assert asking("geheim", scope=scope) == before


def test_a_viewer_is_named_as_a_whole(asking) -> None:
    """However the store keeps the list, neither its commas nor a part of a name let anybody in."""
    names = ["7", ",", '"', "a", 'a"7', "\\", "group:3", "%", "ü", "7,8"]
    lists = [("77", "17"), ('a"7"b', "c"), ("\\", "x"), ("group:33",), ("a", "b"), ("ü%",)]
    lists += [(name,) for name in names]
    asking.store.put(
        [stored(n, "geheim", owner="8", viewers=viewers) for n, viewers in enumerate(lists, 1)]
    )
    for name in names:
        expected = {n for n, viewers in enumerate(lists, 1) if name in viewers}
        assert set(asking.ids("geheim", scope=Scope(Asker(name)))) == expected, name


def test_the_graph_leads_past_what_is_hidden(asking) -> None:
    fill_for_viewers(asking.store)
    scope = Scope(Asker("7"))
    graph = walk(asking.search, Reference(id=1), scope, depth=3)
    assert {link.id for link in graph.links} == {2, 3}
    assert walk(asking.search, Reference(id=5), scope).links == ()


def test_passages_are_shown_as_they_stand_and_to_nobody_else(asking) -> None:
    fill_for_viewers(asking.store)
    text = f"Kopf der Seite. {' '.join(TOKENS[:60])} Die STROM-Rechnung, bitte."
    asking.store.put([stored(6, text, title="Strom & Gas"), stored(7, "Strom", owner="8")])
    look = asking.search.look(Request("strom", Scope(Asker("3"))))
    assert [hit.id for hit in look.answer.hits] == [6]
    assert [(p.text, p.found) for p in look.shown[6].title] == [("Strom", True), (" & Gas", False)]
    [passage] = look.shown[6].found
    assert [piece.text for piece in passage.pieces if piece.found] == ["STROM"]
    assert look.shown[6].shared == ()
    asked = Request("FINGERPRINT:1", Scope(Asker("3")))
    look = asking.search.look(asked)
    assert look.shown[6].source == 1
    assert [passage.words for passage in look.shown[6].shared] == [60]
    # Who may not view a document gets nothing of it, whatever ids are asked for.
    assert asking.search.shown(asked, [2, 6]).keys() == {6}
    hidden = asking.search.look(Request("FINGERPRINT:2", Scope(Asker("3"))))
    assert (hidden.answer.hits, hidden.shown, hidden.offers) == ((), {}, ())


def test_a_miss_offers_what_may_have_been_meant(asking) -> None:
    asking.store.put([
        stored(1, "Die Stromrechnung und die Rechnungsnummer"),
        stored(2, "Eine Rechnung vom Amt", title="Mahnung"),
        stored(3, "Rechtung, geheim", owner="8"),
    ])  # fmt: skip
    [offer] = asking.search.look(Request('title:"x y" OR rechnug^2')).offers
    assert offer.word == "rechnug"
    assert [each.word for each in offer.near] == ["rechnung", "rechtung"]
    assert offer.near[0].query == 'title:"x y" OR rechnung^2'
    [offer] = asking.search.look(Request("echnung", Scope(Asker("3")))).offers
    assert [each.word for each in offer.containing] == [
        "rechnung", "stromrechnung", "rechnungsnummer",
    ]  # fmt: skip
    found = asking.search.look(Request(offer.any_containing, Scope(Asker("3"))))
    assert sorted(hit.id for hit in found.answer.hits) == [1, 2]
    [offer] = asking.search.look(Request("Mahnuhg")).offers
    assert [each.word for each in offer.near] == ["mahnung"]


def test_no_word_of_a_hidden_document_is_offered(asking) -> None:
    asking.store.put([
        stored(1, "Die Kündigung vom Amt"),
        stored(2, "Die Kündigungsfrist und Kundigung", owner="8"),
    ])  # fmt: skip
    offers = asking.search.look(Request("ündigung", Scope(Asker("3")))).offers
    assert [each.word for offer in offers for each in offer.containing] == ["kündigung"]
    assert asking.search.look(Request("digungsfri", Scope(Asker("3")))).offers == ()
    assert asking.search.look(Request("digungsfri")).offers != ()


def test_nothing_is_offered_where_it_would_not_help(asking) -> None:
    asking.store.put([stored(1, "Apfel"), stored(2, "Birne"), stored(3, "a b c")])
    for query in ("apfel birne", "-apfel birne pflaume*", "xy", "FINGERPRINT:99", "apfel"):
        assert asking.search.look(Request(query)).offers == (), query


# Pages ---------------------------------------------------------------------------------------


def fill_a_family(store, count: int = 150) -> None:
    """Copies of one letter with more and more of it changed."""
    rng = random.Random(3)
    words = TOKENS[:400]
    records = []
    for id in range(1, count + 1):
        changed = set(rng.sample(range(400), id // 2))
        text = " ".join(f"z{id}x{n}" if n in changed else w for n, w in enumerate(words))
        records.append(stored(id, text, created=f"20{id % 30:02}-01-01", page_count=id % 7))
    store.put(records)


def test_a_page_goes_on_where_the_last_one_ended(asking) -> None:
    fill_a_family(asking.store, 100)
    for query in ("FINGERPRINT:1_20", "document", "FINGERPRINT:1_60 OR id:>90"):
        for sort in SORTS:
            whole = asking(query, sort=sort)
            ids, after = [], ""
            while True:
                answer = asking(query, sort=sort, limit=40, after=after)
                ids += [hit.id for hit in answer.hits]
                assert answer.total <= whole.total
                after = answer.next
                if not after:
                    break
            assert len(ids) == len(set(ids))
            assert set(ids) == {hit.id for hit in whole.hits}
            if sort != "best" or query == "document":
                assert ids == [hit.id for hit in whole.hits]
                assert asking.ids(query, sort=sort, limit=10, offset=30) == ids[30:40]


@pytest.mark.parametrize("query", ["FINGERPRINT:1_20", "document"])
def test_pages_are_stable_while_documents_are_written(asking, query) -> None:
    fill_a_family(asking.store)
    before = set(asking.ids(query))
    ids, after, added = [], "", 1000
    while True:
        answer = asking(query, limit=30, after=after)
        ids += [hit.id for hit in answer.hits]
        after = answer.next
        if not after:
            break
        # The best hits that there can be, between two pages.
        asking.store.put([stored(added, " ".join(TOKENS[:400]), title="document document")])
        added += 1
        asking.store.delete([ids[0]])
    assert len(ids) == len(set(ids))
    assert before <= set(ids)


def test_a_short_page_counts_what_it_has_seen(asking) -> None:
    fill_a_family(asking.store)
    whole = asking("FINGERPRINT:1_20")
    page = asking("FINGERPRINT:1_20", limit=5)
    assert whole.total_is_exact
    assert not page.total_is_exact
    assert 5 <= page.total <= whole.total
    assert [hit.containment for hit in whole.hits] == sorted(
        (hit.containment for hit in whole.hits), reverse=True
    )


def test_beyond_what_is_verified_the_total_is_a_lower_bound(asking, monkeypatch) -> None:
    fill_a_family(asking.store)
    everything = asking("FINGERPRINT:1_20", verify_all=True)
    for module in ("query.likeness", "query.ranking", "library.search"):
        monkeypatch.setattr(f"paperless_fingerprint.{module}.VERIFIED_AT_MOST", 50)
    some = asking("FINGERPRINT:1_20")
    assert len(some.hits) == 50
    assert not some.total_is_exact
    assert "--all" in some.notes[0]
    assert asking("FINGERPRINT:1_20", verify_all=True).hits == everything.hits
    # What was not verified is shown by neither side of a query.
    with_it = set(asking.ids("document AND FINGERPRINT:1_20"))
    without = asking("document -FINGERPRINT:1_20")
    assert not without.total_is_exact
    verified_to_be_none = {hit.id for hit in without.hits}
    assert not verified_to_be_none & {hit.id for hit in everything.hits}
    assert not verified_to_be_none & with_it
    assert likeness.VERIFIED_AT_MOST == 50


def test_a_place_of_another_query_is_refused(asking) -> None:
    fill_a_family(asking.store, 30)
    token = asking("document", limit=3).next
    for query, after in (("other", token), ("document", "nonsense"), ("document", token[:-4])):
        with pytest.raises(UsageError, match="Start again"):
            asking(query, limit=3, after=after)


# What could hurt -----------------------------------------------------------------------------


def test_the_time_limit_holds(asking) -> None:
    """A limit that has passed before anything was found."""
    fill_a_family(asking.store, 60)
    with pytest.raises(UsageError, match="stopped after"):
        asking("FINGERPRINT:1_20", scope=Scope(time_limit_seconds=0))


def test_the_stores_own_time_limit_holds(asking) -> None:
    """Hundreds of patterns over a large vocabulary, and a thousandth of a second for them."""
    asking.store.put([stored(id, some_text(3000, seed=id)) for id in range(1, 31)])
    tree = parse(" OR ".join(f"{'bdklmnprstvwz'[n % 13]}*a*e*{n}*" for n in range(400)))
    scope = Scope(time_limit_seconds=0.001)

    def ask_until_stopped() -> None:
        # Elasticsearch looks at a clock that moves five times a second.
        for _ in range(200):
            asking.searcher.page(tree, scope, Order(), limit=10)

    with pytest.raises(UsageError, match=r"stopped after 0\.001 seconds"):
        ask_until_stopped()
    assert len(asking.ids("document", limit=40)) == 30


def test_the_largest_query_that_is_understood_is_answered(asking) -> None:
    fill_as_alfresco_does(asking.store)
    words = " OR ".join(f"{word}^2" for word in TOKENS[:499])
    assert asking(words, limit=2).total == 4
    many = " OR ".join(f"FINGERPRINT:{1 + n % 4}_20" for n in range(100))
    assert sorted(asking.ids(many)) == [1, 2, 3, 4]
    nested = "(" * 49 + "document" + ")" * 49
    assert asking(nested).total == 4
    assert asking("NOT " * 100 + "document").total == 4
    alternating = "document"
    for n in range(MAX_HEIGHT - 1):
        alternating = f"({alternating} {'AND' if n % 2 else 'OR'} NOT {TOKENS[n]})"
    assert parse(alternating)
    asking(alternating)


def test_boilerplate_is_left_out_of_any_overlap(asking, monkeypatch) -> None:
    monkeypatch.setattr(plan, "COMMON_AT_LEAST", 5)
    footer = " ".join(TOKENS[1000:1040])
    asking.store.put([stored(n, some_text(60, seed=n) + " " + footer) for n in range(1, 21)])
    asking.store.put([stored(30, some_text(60, seed=1))])
    assert asking.ids("FINGERPRINT:1") == [30]
    assert len(asking.ids("FINGERPRINT:1_20")) == 20


def test_odd_characters_reach_the_store_and_come_back(asking) -> None:
    asking.store.put([stored(1, "ein text", title='a\'b "c" {d} \x00 é ß 発票 100%')])
    for query in ("a'b", '"a b c"', "100%", "発票", "STRASSE OR ß OR ss", "é"):
        assert asking.ids(query) == [1], query
    for query in ("a\\\\b", "x\x00y", "100\\%5", "words:x OR a"[6:]):
        asking(query)
    with pytest.raises(QueryError, match="not text in UTF-8"):
        asking("\ud800x")


# Explaining ----------------------------------------------------------------------------------


def test_the_plan_says_what_is_asked(asking) -> None:
    fill_as_alfresco_does(asking.store)
    plan_ = asking.search.explain(Request("FINGERPRINT:1_20_80 AND document", limit=10))
    [term] = plan_["terms"]
    assert term["terms_asked"] == max(group["terms"] for group in term["groups"])
    assert all(group["minimum_matches"] >= 1 for group in term["groups"])
    recall = term["groups"][0]["expected_recall"]
    assert 0.8 <= recall["20 %"] <= 0.85
    assert recall["10 %"] < 0.1
    assert asking.search.explain(Request("document OR FINGERPRINT:1_70"))["request"]


def test_the_plan_can_be_pasted(asking) -> None:
    """What is shown is a request that the store understands, and it finds the same documents."""
    fill_as_alfresco_does(asking.store)
    for query in ("FINGERPRINT:1_20_80 AND document", "document OR title:x*", "NOT document"):
        shown = asking.search.explain(Request(query, limit=10))["request"]
        expected = sorted(asking.ids(query))
        if "sql" in shown:
            import sqlite3

            connection = sqlite3.connect(asking.store.path)
            found = [row[0] for row in connection.execute(shown["sql"])]
            connection.close()
        else:
            from elasticsearch_nodes import client_for

            path, _, body = shown["request"].partition("\n")
            with client_for(asking.store.address.hosts[0]) as client:
                answer = client.perform_request(
                    *path.replace("GET ", "POST /").split(" "),
                    headers={"content-type": "application/json", "accept": "application/json"},
                    body=body,
                )
            found = [int(hit["_id"]) for hit in answer["hits"]["hits"]]
        assert sorted(found) == expected
