"""GET /api/search: the same search for other programs."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette

from documents import SPEC, some_words, stored
from paperless_fingerprint.library.search import Search
from paperless_fingerprint.query.searcher import Asker
from paperless_fingerprint.stores.opening import searcher_of
from paperless_fingerprint.stores.sqlite import SqliteStore
from paperless_fingerprint.web.search_api import OPENAPI_PATHS, search_route

TOKENS = some_words(2000, seed=42)


def asker_of(request) -> Asker:
    user = request.headers.get("x-user")
    if user is None:
        raise PermissionError("Sign in.")
    return Asker(user, superuser=user == "admin")


@pytest.fixture
def ask(tmp_path: Path):
    store = SqliteStore(tmp_path / "library.db")
    store.put(
        [
            stored(1, " ".join(TOKENS)),
            stored(2, " ".join(TOKENS[:1000]), owner="7"),
            stored(3, " ".join(TOKENS[:1500]), owner="8"),
            stored(4, " ".join(TOKENS[:750])),
        ]
    )
    searcher = searcher_of(store)
    application = Starlette(routes=[search_route(Search(store, searcher, SPEC), asker_of)])

    def get(query: str | None = None, user: str | None = "admin", times: int = 1, **parameters):
        if query is not None:
            parameters["q"] = query
        headers = {} if user is None else {"x-user": user}

        async def answers() -> list[httpx.Response]:
            transport = httpx.ASGITransport(application)
            async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
                asked = [
                    client.get("/api/search", params=parameters, headers=headers)
                    for _ in range(times)
                ]
                return await asyncio.gather(*asked)

        found = asyncio.run(answers())
        return found[0] if times == 1 else found

    yield get
    searcher.close()
    store.close()


def ids(answer) -> list[int]:
    assert answer.status_code == 200, answer.text
    return [hit["id"] for hit in answer.json()["hits"]]


def test_hits_are_those_of_the_command(ask) -> None:
    answer = ask("FINGERPRINT:1_45", passages="true").json()
    assert [hit["id"] for hit in answer["hits"]] == [3, 2]
    [shared] = answer["hits"][0]["passages"]["shared"]
    assert shared["words"] == 1500
    plain = ask("FINGERPRINT:1_45").json()
    assert set(answer) - set(plain) == {"offers"}
    assert set(answer["hits"][0]) - set(plain["hits"][0]) == {"passages"}
    assert (answer["total"], answer["total_is_exact"], answer["next"]) == (2, True, None)
    schema = OPENAPI_PATHS["/api/search"]["get"]["responses"]["200"]["content"]["application/json"]
    properties = schema["schema"]["properties"]
    assert set(answer) == set(properties)
    assert set(answer["hits"][0]) == set(properties["hits"]["items"]["properties"])


def test_a_miss_offers_words_of_what_one_may_view(ask) -> None:
    # Of document 4 the first 750 words, of document 1, which has no owner, all of them.
    word = max(TOKENS[:700], key=len)
    answer = ask(word + "x", user="9", passages="true").json()
    assert answer["hits"] == []
    assert word in [w["word"] for offer in answer["offers"] for w in offer["near"]]
    assert "offers" not in ask(word + "x", user="9").json()


def test_pages(ask) -> None:
    first = ask("FINGERPRINT:1", limit=2)
    second = ask("FINGERPRINT:1", limit=2, after=first.json()["next"])
    assert ids(first) + ids(second) == [3, 2, 4]
    assert ids(ask("FINGERPRINT:1", limit=1, offset=1)) == [2]
    assert ids(ask("document", sort="id", limit=0)) == []


def test_the_asker_is_asked_for(ask) -> None:
    assert ids(ask("FINGERPRINT:1", user="7")) == [2, 4]
    assert ids(ask("FINGERPRINT:1", user="9")) == [4]
    hidden, unknown = ask("FINGERPRINT:3", user="7").json(), ask("FINGERPRINT:9", user="7").json()
    assert hidden["notes"][0] == unknown["notes"][0].replace("9", "3")
    plan = ask("FINGERPRINT:1_20", user="7", explain="true").json()
    assert plan["terms"]
    assert "request" not in plan
    assert "request" in ask("FINGERPRINT:1_20", explain="true").json()


@pytest.mark.parametrize(
    ("query", "parameters", "status"),
    [
        (None, {}, 400),
        ("doc AND (", {}, 400),
        ("x" * 50_000, {}, 400),
        ("doc", {"limit": "-1"}, 400),
        ("doc", {"limit": "1001"}, 400),
        ("doc", {"limit": "٣"}, 400),
        ("doc", {"sort": "colour"}, 400),
        ("doc", {"after": "nonsense"}, 400),
        ("doc", {"all": "perhaps"}, 400),
        ("doc", {"colour": "red"}, 400),
        ("doc", {"user": None}, 401),
    ],
)
def test_problems(ask, query, parameters, status) -> None:
    answer = ask(query, **parameters)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    told = answer.json()
    assert told["status"] == status
    assert told["detail"]


def test_a_problem_names_the_place(ask) -> None:
    assert ask("doc AND FINGERPRINT:1_200").json()["position"] == len("doc AND FINGERPRINT:1_")


def test_many_at_once(ask) -> None:
    answers = ask("FINGERPRINT:1_20 OR document", times=8)
    assert [ids(answer) for answer in answers] == [ids(answers[0])] * 8
