from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from documents import SPEC
from paperless_fingerprint.comparison.alignment import align
from paperless_fingerprint.comparison.diff import compare
from paperless_fingerprint.comparison.differences import find_differences
from paperless_fingerprint.comparison.facts import read_facts
from paperless_fingerprint.comparison.relation import examine, judge, read
from paperless_fingerprint.fingerprints.digest import compare as compare_facts
from paperless_fingerprint.fingerprints.fingerprint import fingerprint
from paperless_fingerprint.model import Document, Relation
from paperless_fingerprint.text.tokens import places_in, tokenise

WORD = st.sampled_from(
    "the rent of March July 2024 is 118,20 due on 14.06.2024 Anna Müller 王 明 K-4711 a I0l rn".split()
)
TEXT = st.lists(WORD, max_size=60).map(" ".join)
ANYTHING = st.text(max_size=200)
#: With what letters are written in besides words: line ends, hyphens, signs, accents of their own.
WRITTEN = st.lists(WORD | st.sampled_from(["-\n", "\n", "\n\n", ", ", " -", "€", "u\u0308", "\u00ad", "ﬁ", "%"]), max_size=60).map("".join) | TEXT  # fmt: skip
TOKENS = st.lists(st.sampled_from("abcdefgh"), max_size=40)


@given(TEXT | ANYTHING, TEXT | ANYTHING)
@settings(deadline=None, max_examples=150)
def test_the_order_of_two_documents_does_not_matter(first, second):
    a, b = read(Document(1, content=first)), read(Document(2, content=second))
    assert judge(a, b) == judge(b, a)


@given(TEXT | ANYTHING)
@settings(deadline=None)
def test_a_text_is_an_exact_copy_of_itself_or_too_short(text):
    a, b = read(Document(1, content=text)), read(Document(2, content=text))
    assert judge(a, b).relation is (Relation.EXACT if a.words >= 8 else Relation.RELATED)


@given(TEXT, TEXT)
@settings(deadline=None, max_examples=150)
def test_figures_are_shares(first, second):
    found = examine(read(Document(1, content=first)), read(Document(2, content=second)))
    scores = found.pair.scores
    for figure in (found.pair.confidence, scores.score, scores.jaccard, scores.fuzzy, scores.facts):
        assert figure is None or 0 <= figure <= 1


@given(WRITTEN | ANYTHING, WRITTEN | ANYTHING)
@settings(deadline=None, max_examples=300)
def test_the_pieces_of_a_side_are_its_text(first, second):
    a, b = read(Document(1, content=first)), read(Document(2, content=second))
    changes = compare(a, b).changes
    for text, tokens, pieces in (
        (first, a.tokens, [c.a for c in changes]), (second, b.tokens, [c.b for c in changes]),
    ):  # fmt: skip
        assert "".join(pieces) == (tokens.text if places_in(text, tokens) is None else text)


@given(TOKENS, TOKENS)
def test_an_alignment_is_one_to_one_and_only_of_equals(a, b):
    found = align(a, b)
    pairs = [(i, j) for i, j in enumerate(found.to_b) if j >= 0]
    assert all(a[i] == b[j] and found.to_a[j] == i for i, j in pairs)
    assert len({j for _, j in pairs}) == len(pairs) == sum(i >= 0 for i in found.to_a)


@given(st.lists(WORD, max_size=40), st.lists(WORD, max_size=40))
def test_every_token_is_matched_or_stands_in_one_difference(a, b):
    alignment = align(a, b)
    found = find_differences(a, b, alignment)
    at_a = [i for x in found.items for i in range(x.start_a, x.end_a)]
    at_b = [i for x in found.items for i in range(x.start_b, x.end_b)]
    matched_a = {i for i, j in enumerate(alignment.to_b) if j >= 0}
    matched_b = {i for i, j in enumerate(alignment.to_a) if j >= 0}
    assert len(at_a) == len(set(at_a))
    assert len(at_b) == len(set(at_b))
    assert set(at_a) | matched_a | found.strays_a == set(range(len(a)))
    assert set(at_b) | matched_b | found.strays_b == set(range(len(b)))


@given(ANYTHING)
def test_any_text_can_be_read(text):
    read_facts(text)
    tokens = tokenise(text)
    assert len(tokens.keys) == len(tokens.spellings) == len(tokens.spans())
    digest = fingerprint(text, SPEC).facts
    assert compare_facts(digest, [digest]).plausible.all()


@given(st.lists(TEXT | ANYTHING, min_size=2, max_size=8))
def test_what_is_worth_comparing_is_so_from_both_sides(texts):
    digests = [fingerprint(text, SPEC).facts for text in texts]
    table = [compare_facts(one, digests).plausible.tolist() for one in digests]
    assert table == [list(row) for row in zip(*table, strict=True)]


#: Scripts and shapes that nothing was learned from.
ODD = [
    "ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ ᎠᏂᏴᏫᏯ ᎤᎾᏙᏢᎯ ᏗᏂᎧᎿᏩᏛᏍᎩ " * 8,
    "ⴰⵣⵓⵍ ⴼⵍⵍⴰⵡⵏ ⵎⴰⵏⵣⴰⴽⵉⵏ ⴰⵢⵜⵎⴰ " * 8,
    "ကျွန်ုပ်တို့သည်စာကိုပို့သည်" * 12,
    " ".join(str(n * 7919 % 10007) for n in range(400)),
    "1 " * 3_000,
    "\u0000\ud800 \ufffd \u200b" * 60,
    "Rechnung invoice " * 5 + "счёт 請求書 " * 20,
    "x" * 20_000,
]


@given(st.sampled_from(ODD), st.sampled_from(ODD), st.integers(0, 40))
@settings(deadline=None, max_examples=60)
def test_odd_texts_get_a_sound_answer_and_the_same_from_both_sides(first, second, cut):
    a, b = read(Document(1, content=first)), read(Document(2, content=second[cut:]))
    found = judge(a, b)
    assert found == judge(b, a)
    assert 0 <= found.confidence <= 1
    if first[:9] != second[:9]:
        assert found.relation in {Relation.RELATED, Relation.TEMPLATE}


def test_one_word_a_million_times_is_no_text():
    endless = read(Document(1, content="paid " * 1_000_000))
    for other in ("paid " * 999_999, "paid due " * 3_000, "the rent is due " * 20):
        assert judge(endless, read(Document(2, content=other))).relation in {
            Relation.RELATED, Relation.TEMPLATE,
        }  # fmt: skip
