"""A library, a Paperless and what works between them, for tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from paperless_fingerprint.demo.stand_in import StandIn
from paperless_fingerprint.integration import consume
from paperless_fingerprint.integration import sync as syncing
from paperless_fingerprint.integration.context import Workplace, open_workplace
from paperless_fingerprint.integration.feedback import listen, tell
from paperless_fingerprint.settings.loading import load
from paperless_fingerprint.settings.registry import Settings

LETTER = (
    "Stadtwerke Köln, Parkgürtel 24. Rechnung Nr. 2024-117 vom 3. März 2024 an Frau Erika "
    "Sommer, Rosenweg 5. Wir berechnen Ihnen für die Lieferung von Strom im Zeitraum vom 1. Februar "
    "bis 29. Februar 2024 den Betrag von 118,20 Euro. Der Zählerstand betrug 45.213 kWh. Bitte "
    "überweisen Sie bis zum 20. März 2024 auf das Konto DE02 1203 0000 0000 2020 51."
)
RESCAN = LETTER.replace("Köln", "Koln").replace("Rosenweg", "Rosenweq")
OTHER = (
    "Zahnarztpraxis Dr. Blume, Lindenallee 12, 50935 Köln. Honorarnote 8812 vom 14. Mai 2023 für "
    "Herrn Otto Winter: eingehende Untersuchung, Entfernen harter Zahnbeläge, Röntgenaufnahme. Der "
    "Betrag von 76,50 Euro ist innerhalb von dreißig Tagen zu überweisen an die Apothekerbank."
)


def variant(number: int) -> str:
    """A letter of its own kind: nothing to do with any other."""
    from documents import some_text

    return f"Vorgang {number} " + some_text(60, seed=number)


def let_tags_grow_old(place: Workplace) -> None:
    """As if our tags had stood there for a while."""
    old = "2026-01-01T00:00:00.000000Z"
    place.ledger.put(
        (id, kind, replace(written.mark, value=old), written.state)
        for id, kinds in place.ledger.rows().items()
        for kind, written in kinds.items()
        if kind.startswith("tag:")
    )


class Office:
    """One Paperless and one library, in a folder of its own."""

    def __init__(self, folder: Path, paperless: StandIn, **settings: str) -> None:
        self.folder = folder
        self.paperless = paperless
        self.environment = {
            "PAPERLESS_FINGERPRINT_STORE": f"sqlite:///{folder}/library.db",
            "PAPERLESS_FINGERPRINT_PAPERLESS_URL": paperless.url,
            "PAPERLESS_FINGERPRINT_PAPERLESS_TOKEN": paperless.token,
            "PAPERLESS_FINGERPRINT_SPOOL": str(folder / "spool"),
            "PAPERLESS_FINGERPRINT_INBOX_FIRST_PAUSE_SECONDS": "0",
            "PAPERLESS_FINGERPRINT_INBOX_PATIENCE_SECONDS": "0",
            "PAPERLESS_FINGERPRINT_PAPERLESS_WRITES_PER_SECOND": "1000",
            "XDG_CONFIG_HOME": str(folder / "config"),
            "XDG_DATA_HOME": str(folder / "data"),
            **{f"PAPERLESS_FINGERPRINT_{name.upper()}": value for name, value in settings.items()},
        }

    @property
    def settings(self) -> Settings:
        return load(environment=self.environment)

    @contextmanager
    def open(self) -> Iterator[Workplace]:
        with open_workplace(self.settings) as place:
            yield place

    # --- what happens in Paperless --------------------------------------------------------------

    def add(self, content: str, **more) -> int:
        return self.paperless.library.add(content, **more).id

    def tags(self, id: int) -> set[str]:
        """By name, in any order."""
        library = self.paperless.library
        with library.lock:
            return {library.labels["tags"][tag].name for tag in library.documents[id].tags}

    def tag_id(self, name: str) -> int:
        labels = self.paperless.library.labels["tags"].values()
        return next(label.id for label in labels if label.name == name)

    def fields(self, id: int) -> dict[str, object]:
        library = self.paperless.library
        with library.lock:
            values = library.documents[id].custom_fields.items()
            return {library.fields[number].name: value for number, value in values}

    def take_off(self, id: int, name: str) -> None:
        """As a person does it who has had the tag before his eyes for a while."""
        self.let_tags_grow_old()
        library = self.paperless.library
        with library.lock:
            row = library.documents[id]
            row.tags = [tag for tag in row.tags if tag != self.tag_id(name)]
            library.touch(row)

    def let_tags_grow_old(self) -> None:
        with self.open() as place:
            let_tags_grow_old(place)

    def put_on(self, id: int, name: str) -> None:
        library = self.paperless.library
        with library.lock:
            row = library.documents[id]
            row.tags = [*row.tags, self.tag_id(name)]
            library.touch(row)

    def writes(self) -> int:
        return sum(
            count for (method, _), count in self.paperless.requests.items() if method != "GET"
        )

    # --- what we do -----------------------------------------------------------------------------

    def consume(self, *ids: int) -> None:
        with self.open() as place:
            place.inbox.add(ids)
            report = consume.drain(place)
            assert not report.outage
            assert report.tried == 0, [event.error for event in place.inbox.events()]

    def sync(self, **options) -> syncing.SyncReport:
        """As `serve` does it: what is new is compared, and Paperless is told."""
        with self.open() as place:
            first = syncing.is_first(place)
            report = syncing.sync(place, **options)
            for _ in syncing.follow_up(place, first=first):
                pass
            return report

    def apply(self, **options) -> tell.FeedbackReport:
        with self.open() as place, place.lock.held():
            if not options.get("dry_run"):
                listen.hear_all(place)
            return tell.tell_all(place, **options)

    def groups(self) -> list[tuple[int, ...]]:
        with self.open() as place:
            return sorted(group.members for group in place.store.groups())

    def pairs(self) -> dict[tuple[int, int], str]:
        with self.open() as place:
            return {(p.a, p.b): p.relation.value for p in place.store.pairs(at_least=0.75)}
