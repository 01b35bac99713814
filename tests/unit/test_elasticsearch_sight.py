from __future__ import annotations

from paperless_fingerprint.stores.elasticsearch.refresh import Unseen, unseen_at


def refresh(unseen: Unseen, index: str) -> None:
    unseen.refreshed(index, unseen.writes(index))


def test_what_was_never_refreshed_is_unseen() -> None:
    assert Unseen().has("documents")


def test_a_refresh_shows_what_was_written_before_it() -> None:
    unseen = Unseen()
    refresh(unseen, "documents")
    assert not unseen.has("documents")
    unseen.written("documents")
    assert unseen.has("documents")
    assert unseen.has("library")
    refresh(unseen, "documents")
    assert not unseen.has("documents")


def test_a_write_during_a_refresh_stays_unseen() -> None:
    unseen = Unseen()
    before = unseen.writes("documents")
    unseen.written("documents")
    unseen.refreshed("documents", before)
    assert unseen.has("documents")


def test_a_slow_refresh_does_not_undo_a_later_one() -> None:
    unseen = Unseen()
    slow = unseen.writes("documents")
    unseen.written("documents")
    refresh(unseen, "documents")
    unseen.refreshed("documents", slow)
    assert not unseen.has("documents")


def test_all_connections_to_one_server_share_what_they_know() -> None:
    assert unseen_at(("http://a:9200",)) is unseen_at(("http://a:9200",))
    assert unseen_at(("http://a:9200",)) is not unseen_at(("http://b:9200",))
