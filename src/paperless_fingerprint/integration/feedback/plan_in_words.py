"""A plan as people read it: which document gets and loses what."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from paperless_fingerprint.integration.feedback.plan import PLAIN_FIELDS, Plan
from paperless_fingerprint.languages import decimal
from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.settings.registry import Settings


@dataclass(frozen=True, slots=True)
class Write:
    """What one document in Paperless would get or lose."""

    document: int
    title: str
    #: In words: 'tag “Duplicate (near)”', 'field “Duplicate of”: 12'.
    add: tuple[str, ...]
    remove: tuple[str, ...]


def writes_of(
    plan: Plan, settings: Settings, titles: Mapping[int, str], hidden: Collection[int] = ()
) -> Iterator[Write]:
    """In the order of the documents; nothing is said of the hidden ones."""
    added: defaultdict[int, list[str]] = defaultdict(list)
    removed: defaultdict[int, list[str]] = defaultdict(list)
    for entries, told in ((plan.remove, removed), (plan.add, added)):
        for id, kind, mark in entries:
            words = _in_words(settings, kind, mark.value, hidden)
            if id not in hidden and words:
                told[id].append(words)
    for id in sorted({*added, *removed}):
        yield Write(id, titles.get(id, ""), tuple(added[id]), tuple(removed[id]))


def _in_words(settings: Settings, kind: str, value: str, hidden: Collection[int]) -> str:
    name, rest = kind.partition(":")[::2]
    if name == "tag":
        return _("tag “%(name)s”", name=settings.value(f"paperless.tag_{rest}") or rest)
    if name == "link":
        targets = [id for id in json.loads(value or "[]") if id not in hidden]
        if not targets:
            return ""
        return _field(settings, rest, ", ".join(map(str, targets)))
    if kind in PLAIN_FIELDS:
        return _field(
            settings, kind, decimal(float(value), 2) if kind == "confidence" and value else value
        )
    return _("note: %(text)s", text=value) if not hidden else _("a note")


def _field(settings: Settings, kind: str, value: str) -> str:
    name = settings.value(f"paperless.field_{kind}")
    return _("field “%(name)s”: %(value)s", name=name, value=value)
