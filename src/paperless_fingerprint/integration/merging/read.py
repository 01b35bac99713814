"""What a plan is made from: asked of Paperless, where the truth is, and of the library's texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from paperless_fingerprint.integration.feedback.dead_links import link_fields, numbers_of
from paperless_fingerprint.integration.feedback.labels import Labels
from paperless_fingerprint.integration.merging.plan import Choice, MergePlan, Surroundings, make
from paperless_fingerprint.library.compare import what_was_edited
from paperless_fingerprint.paperless.client import PaperlessClient
from paperless_fingerprint.paperless.records import Holding
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.base import Store


def planned(
    store: Store,
    settings: Settings,
    paperless: PaperlessClient,
    labels: Labels,
    held: Mapping[int, Holding],
    choice: Choice,
) -> MergePlan:
    met = {number for each in held.values() for number in each.fields}
    links = link_fields(paperless, met) - labels.own_fields
    aims = {n for each in held.values() for f in links for n in numbers_of(each.fields.get(f))}
    texts = store.texts(held)
    old = {id for id, each in held.items() if each.content != texts.get(id)}
    around = Surroundings(
        labels.own_tags.union([] if labels.not_duplicate is None else [labels.not_duplicate]),
        labels.own_fields,
        frozenset(links),
        paperless.changeable_ids(aims) if aims else frozenset(),
        dict(_edited(store, settings, choice, texts)),
        frozenset(choice.trash if choice.keep[0] in old else old.intersection(choice.trash)),
    )
    return make(held, choice, around)


def _edited(
    store: Store, settings: Settings, choice: Choice, texts: Mapping[int, str]
) -> Iterable[tuple[int, tuple[str, str]]]:
    for id in differing(choice, texts):
        for change in what_was_edited(store, settings, choice.keep[0], id)[:1]:
            yield id, change


def differing(choice: Choice, texts: Mapping[int, str]) -> list[int]:
    """Those that are to go and whose text is not, word for word, that of the one that is kept."""
    return [id for id in choice.trash if texts.get(id) != texts.get(choice.keep[0])]
