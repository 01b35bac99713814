"""Any sequence of writes leaves what a plain dict would hold."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from documents import SPEC, document, some_text, stored
from libraries import Library
from paperless_fingerprint.fingerprints.fingerprint import fingerprint
from paperless_fingerprint.model import Document, StoredDocument
from paperless_fingerprint.stores.base import Store
from paperless_fingerprint.text.normalise import words

IDS = st.integers(1, 6)
TEXTS = st.sampled_from(
    ["", "kurz", "Straße 12 und 日本", *(some_text(count, count) for count in (19, 20, 60, 200))]
)
STEPS = st.one_of(
    st.tuples(st.just("put"), st.lists(st.tuples(IDS, TEXTS), max_size=4)),
    st.tuples(
        st.just("metadata"), st.lists(st.tuples(IDS, st.text("ab ", max_size=4)), max_size=3)
    ),
    st.tuples(st.just("delete"), st.lists(IDS, max_size=3)),
    st.tuples(st.just("analysed"), st.lists(IDS, max_size=3)),
)


def _apply(store: Store, step: tuple, held: dict[int, Document], waiting: set[int]) -> None:
    kind, values = step
    if kind == "put":
        store.put([stored(id, text) for id, text in values])
        for id, text in values:
            held[id] = document(id, text)
        waiting |= {id for id, _ in values}
    elif kind == "metadata":
        store.put_metadata([document(id, title=title) for id, title in values])
        for id, title in values:
            if id in held:
                held[id] = replace(held[id], title=title)
                waiting.add(id)
    elif kind == "delete":
        assert store.delete(values) == len(set(values) & set(held))
        for id in values:
            held.pop(id, None)
            waiting.discard(id)
    else:
        store.mark_analysed([item for item in store.pending() if item.id in values])
        waiting -= set(values)


@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=st.lists(STEPS, max_size=8))
def test_a_store_is_a_dict_with_an_index(library: Library, steps: list[tuple]) -> None:
    if not hasattr(library, "shared"):
        library.shared = library()  # type: ignore[attr-defined]
    store: Store = library.shared  # type: ignore[attr-defined]
    store.delete(store.ids())
    held: dict[int, Document] = {}
    waiting: set[int] = set()
    for step in steps:
        _apply(store, step, held, waiting)
    found = store.get(range(1, 8))
    assert {id: replace(record.document, uuid="") for id, record in found.items()} == held
    assert {id: record.fingerprint for id, record in found.items()} == {
        id: fingerprint(each.content, SPEC) for id, each in held.items()
    }
    assert store.ids() == sorted(held)
    assert {item.id for item in store.pending()} == waiting
    for id, each in held.items():
        for word in words(each.content)[:2]:
            expected = {other for other, d in held.items() if word in words(d.content)}
            assert store.document_frequencies([word])[word] == len(expected)
        candidates = {c.id for c in store.candidates(fingerprint(each.content, SPEC), excluding=id)}
        same = {
            other for other, d in held.items()
            if other != id and each.content and d.content == each.content
        }  # fmt: skip
        assert candidates == same


def test_the_oracle_can_fail(library: Library) -> None:
    """A store that kept a stale row would be caught: what is compared is not empty."""
    store = library()
    held: dict[int, Document] = {}
    waiting: set[int] = set()
    _apply(store, ("put", [(1, some_text(60, 60))]), held, waiting)
    record = store.get([1])[1]
    assert isinstance(record, StoredDocument)
    assert waiting == {1}
    assert record.fingerprint.sketch
