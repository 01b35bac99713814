"""Saving thresholds that somebody has tried: into the settings file, and into what runs now.

The worker then judges and groups the library anew (library/outdated.py), also where it is killed before
that. What stood in the file before is kept beside the library, so that it can be put back exactly.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from threading import Lock
from typing import Any

from paperless_fingerprint.errors import ConfigurationError, FingerprintError, UsageError
from paperless_fingerprint.integration.context import open_inbox
from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.languages import mark
from paperless_fingerprint.library import outdated
from paperless_fingerprint.library.clock import text_of
from paperless_fingerprint.library.thresholds import Thresholds
from paperless_fingerprint.review.person import Person
from paperless_fingerprint.review.service import Review
from paperless_fingerprint.settings import editing
from paperless_fingerprint.settings.editing import CannotChangeError, Change
from paperless_fingerprint.settings.registry import Settings

#: As the page and the API name them → as the settings do.
KEYS = dict(zip(("similarity", "near", "version"), outdated.KEYS, strict=True))
_NOTE = "thresholds.saved"
_NOT_YOU = mark("Only a Paperless superuser can save thresholds.")
#: The file and what runs are changed together.
_one_at_a_time = Lock()


@dataclass(frozen=True, slots=True)
class SavedThresholds:
    at: str
    by: str
    before: Thresholds
    after: Thresholds


@dataclass(frozen=True, slots=True)
class ThresholdState:
    """The thresholds that count now, and what they were before somebody saved these."""

    now: Thresholds
    saved: SavedThresholds | None


def state(review: Review, person: Person) -> ThresholdState:
    return ThresholdState(Thresholds.of(review.settings), saved(review, person))


def saved(review: Review, person: Person) -> SavedThresholds | None:
    """What was saved last, while it counts: whoever has changed the file since knows of that."""
    if not person.superuser:
        return None
    try:
        told = _remembered(review.settings)
    except FingerprintError:
        return None
    if told is None:
        return None
    found = SavedThresholds(
        told["at"], told["by"], Thresholds(**told["was"]), Thresholds(**told["became"])
    )
    return found if found.after == Thresholds.of(review.settings) else None


def obstacles(review: Review, person: Person, wanted: Thresholds) -> tuple[str, str]:
    """(what is wrong with these values, why they cannot be saved from here), or nothing of either."""
    changed = _changed(review.settings, wanted)
    try:
        if changed:
            _planned(review.settings, changed)
    except UsageError as error:
        return str(error), ""
    except CannotChangeError as error:
        return "", str(error) if person.superuser else _(_NOT_YOU)
    return "", "" if person.superuser else _(_NOT_YOU)


def save(review: Review, person: Person, wanted: Thresholds) -> ThresholdState:
    _check(person)
    with _one_at_a_time:
        changed = _changed(review.settings, wanted)
        if changed:
            _carry_out(review, person, _planned(review.settings, changed), changed)
    return state(review, person)


def put_back(review: Review, person: Person) -> ThresholdState:
    """As the file was before somebody saved last; done twice, it is as it is now."""
    _check(person)
    with _one_at_a_time:
        told = _remembered(review.settings) if saved(review, person) else None
        if told is None or editing.texts(review.settings, told["after"]) != told["after"]:
            raise CannotChangeError(
                _("The settings have changed since, so there is nothing to restore.")
            )
        _carry_out(review, person, _planned(review.settings, told["before"]), told["before"])
    return state(review, person)


def _check(person: Person) -> None:
    if not person.superuser:
        raise PermissionError(_(_NOT_YOU))


def _changed(settings: Settings, wanted: Thresholds) -> dict[str, str | None]:
    """Key → value as TOML, of those that are others than now."""
    now, told = asdict(Thresholds.of(settings)), asdict(wanted)
    return {KEYS[name]: repr(float(told[name])) for name in KEYS if told[name] != now[name]}


def _planned(settings: Settings, changed: Mapping[str, str | None]) -> Change:
    try:
        return editing.change(settings, changed)
    except CannotChangeError:
        raise
    except ConfigurationError as error:
        raise UsageError(str(error)) from error  # the values are to blame, and who sent them


def _carry_out(
    review: Review, person: Person, change: Change, after: Mapping[str, str | None]
) -> None:
    running = review.settings
    # What somebody has written there besides counts from the next start on, as ever.
    found = {key: change.settings.value(key) for key in after}
    origins = {key: change.settings.origins[key] for key in after}
    new = replace(running.having(found), origins={**running.origins, **origins})
    was, became = asdict(Thresholds.of(running)), asdict(Thresholds.of(new))
    told = {
        "at": text_of(time.time()),
        "by": person.name,
        "was": was,
        "became": became,
        "before": dict(change.before),
        "after": dict(after),
    }
    # Before the file: of what was not saved after all nothing is shown. And the library must know
    # what it was judged by, so that whoever follows sees that it is something else.
    outdated.remember(review.store, running)
    _remember(running, told)
    editing.write(change)
    review.use(new)
    steps = [f"{KEYS[n]} {was[n]:g} → {became[n]:g}" for n in KEYS if was[n] != became[n]]
    review.live.say(f"{person.name} has changed {change.path}: {', '.join(steps)}.")


def _remembered(settings: Settings) -> dict[str, Any] | None:
    file, _ = open_inbox(settings)
    try:
        note = file.note(_NOTE)
    finally:
        file.close()
    return json.loads(note) if note else None


def _remember(settings: Settings, told: Mapping[str, Any]) -> None:
    file, _ = open_inbox(settings)
    try:
        file.put_note(_NOTE, json.dumps(told))
    finally:
        file.close()
