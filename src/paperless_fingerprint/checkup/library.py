"""What `doctor` looks at. Each finding says what is so and, where it is amiss, what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from difflib import get_close_matches

from paperless_fingerprint.checkup import files
from paperless_fingerprint.checkup.finding import Finding, Part
from paperless_fingerprint.errors import ExitCode, FingerprintError, NoLibraryError
from paperless_fingerprint.files.sqlite import SqliteFile
from paperless_fingerprint.languages import decimal, whole
from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.library import outdated
from paperless_fingerprint.library.intake import SPEC_NOTE
from paperless_fingerprint.library.settled import state_of
from paperless_fingerprint.library.uncompared import uncompared
from paperless_fingerprint.settings.registry import PREFIX, REGISTRY, Settings
from paperless_fingerprint.stores.base import Store
from paperless_fingerprint.stores.opening import open_store

#: Names of the settings file, and of what the tests of this project are told.
_READ_ELSEWHERE = ("CONFIG", "TEST_", "SHARED", "REAL_", "FAULTS")
_SETTINGS, _STORE, _ANALYSIS = map(Part, ("settings", "store", "analysis"))


@dataclass(frozen=True, slots=True)
class Checkup:
    findings: tuple[Finding, ...]
    exit_code: ExitCode


def examine(settings: Settings, *, thoroughly: bool = True) -> Checkup:
    """`thoroughly`: reads the whole library for damage, which takes a while where it is large."""
    from paperless_fingerprint.checkup import paperless  # it brings the HTTP client along

    variables = list(_variables(settings))
    store = _store(settings, thoroughly=thoroughly)
    findings, code = paperless.examine(settings)
    semantic, semantic_code = _semantic(settings)
    worst = store.exit_code or code or semantic_code
    readable = list(files.examine(settings))
    if worst is ExitCode.DONE and (variables or readable):
        worst = ExitCode.CONFIGURATION
    return Checkup((*variables, *store.findings, *readable, *semantic, *findings), worst)


def _variables(settings: Settings) -> Iterator[Finding]:
    """What is set in the environment and read by nobody."""
    told = settings.sources.environment if settings.sources else {}
    known = {setting.variable for setting in REGISTRY}
    for name in sorted(told.keys() - known):
        if name.removeprefix(PREFIX).startswith(_READ_ELSEWHERE):
            continue
        if near := get_close_matches(name, known, 1):
            yield _SETTINGS.amiss(
                "%(name)s is set, but there is no such setting. Did you mean %(near)s?",
                name=name,
                near=near[0],
            )
        else:
            yield _SETTINGS.amiss("%(name)s is set, but there is no such setting.", name=name)


def _semantic(settings: Settings) -> tuple[list[Finding], ExitCode]:
    if not settings.semantic.enabled:
        off = Part("semantic").not_seen(
            "Off. With [semantic] enabled = true, translations and re-wordings are found, too."
        )
        return [off], ExitCode.DONE
    from paperless_fingerprint.checkup import semantic  # it loads a model

    return semantic.examine(settings)


def _store(settings: Settings, *, thoroughly: bool) -> Checkup:
    try:
        with closing(open_store(settings, create=False)) as store:
            findings = tuple(_library(store, settings, thoroughly=thoroughly))
    except NoLibraryError as error:
        nothing = _STORE.not_seen("Nothing is there yet: %(why)s", why=error)
        return Checkup((nothing,), ExitCode.DONE)
    except FingerprintError as error:
        return Checkup((_STORE.failed(error),), ExitCode(error.exit_code))
    ok = all(finding.ok for finding in findings)
    return Checkup(findings, ExitCode.DONE if ok else ExitCode.STORE)


def _library(store: Store, settings: Settings, *, thoroughly: bool) -> Iterator[Finding]:
    report = store.report()
    counts = report.counts
    held = _(
        "%(kind)s at %(address)s: %(documents)s documents, %(pairs)s pairs, %(groups)s "
        "groups, %(decisions)s decisions.",
        kind=f"{report.kind} {report.version}",
        address=report.address,
        documents=whole(counts.documents),
        pairs=whole(counts.pairs),
        groups=whole(counts.groups),
        decisions=whole(counts.decisions),
    )
    if report.bytes_used is not None:
        size = _("%(size)s MB on the disk.", size=decimal(report.bytes_used / 1e6, 1))
        held = f"{held} {size}"
    yield Finding("store", True, held)
    yield Finding("settled", True, state_of(store).in_words())
    yield from (Finding("store", False, message) for message in report.findings)
    if damage := store.damage() if thoroughly and isinstance(store, SqliteFile) else "":
        yield _STORE.amiss(
            "The library's file is damaged (%(damage)s). Restore it from a backup, or move "
            "it away and run 'sync' and 'analyze'; what people decided is lost then.",
            damage=damage,
        )
    notes = store.notes()
    spec = notes.get(SPEC_NOTE)
    if spec is not None and spec != settings.spec().id:
        yield _STORE.amiss(
            "The settings of the fingerprint have changed since the library was made. "
            "'paperless-fingerprint sync' or 'analyze' makes the fingerprints again."
        )
    if outdated.due(notes, settings) is not outdated.Due.NOTHING:
        yield _ANALYSIS.fine(
            "The thresholds or the rules of the comparison have changed since the library "
            "was compared. Starting `serve`, or 'paperless-fingerprint analyze', updates "
            "pairs and groups."
        )
    if counts.pending:
        yield _ANALYSIS.fine_n(
            "%(num)s document is waiting to be compared; 'paperless-fingerprint analyze' does it.",
            "%(num)s documents are waiting to be compared; 'paperless-fingerprint analyze' "
            "does it.",
            counts.pending,
        )
    if left_out := len(uncompared(store)):
        yield _ANALYSIS.fine_n(
            "%(num)s document has no text, or too little of it, to be compared; "
            "'paperless-fingerprint uncompared' says which, and what to do.",
            "%(num)s documents have no text, or too little of it, to be compared; "
            "'paperless-fingerprint uncompared' says which, and what to do.",
            left_out,
        )
