"""What `doctor` looks at. Each finding says what is so and, where it is amiss, what to do."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches

from paperless_fingerprint.checkup import files
from paperless_fingerprint.checkup.finding import Finding
from paperless_fingerprint.errors import ExitCode, FingerprintError, NoLibraryError
from paperless_fingerprint.files.sqlite import SqliteFile
from paperless_fingerprint.languages import decimal, ngettext, whole
from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.library import outdated
from paperless_fingerprint.library.intake import SPEC_NOTE
from paperless_fingerprint.library.settled import state_of
from paperless_fingerprint.library.uncompared import uncompared
from paperless_fingerprint.settings.registry import PREFIX, REGISTRY, Settings
from paperless_fingerprint.stores.opening import open_store

#: Names of the settings file, and of what the tests of this project are told.
_READ_ELSEWHERE = ("CONFIG", "TEST_", "SHARED", "REAL_", "FAULTS")


@dataclass(frozen=True, slots=True)
class Checkup:
    findings: tuple[Finding, ...]
    exit_code: ExitCode


def examine(settings: Settings, *, thoroughly: bool = True) -> Checkup:
    """`thoroughly`: reads the whole library for damage, which takes a while where it is large."""
    from paperless_fingerprint.checkup import paperless  # it brings the HTTP client along

    variables = _variables(settings)
    store = _store(settings, thoroughly=thoroughly)
    findings, code = paperless.examine(settings)
    semantic, semantic_code = _semantic(settings)
    worst = store.exit_code or code or semantic_code
    readable = files.examine(settings)
    if worst is ExitCode.DONE and (variables or readable):
        worst = ExitCode.CONFIGURATION
    return Checkup((*variables, *store.findings, *readable, *semantic, *findings), worst)


def _variables(settings: Settings) -> list[Finding]:
    """What is set in the environment and read by nobody."""
    told = settings.sources.environment if settings.sources else {}
    known = {setting.variable for setting in REGISTRY}
    found = []
    for name in sorted(told.keys() - known):
        if name.removeprefix(PREFIX).startswith(_READ_ELSEWHERE):
            continue
        near = get_close_matches(name, known, 1)
        told_so = (
            _(
                "%(name)s is set, but there is no such setting. Did you mean %(near)s?",
                name=name,
                near=near[0],
            )
            if near
            else _("%(name)s is set, but there is no such setting.", name=name)
        )
        found.append(Finding("settings", False, told_so))
    return found


def _semantic(settings: Settings) -> tuple[list[Finding], ExitCode]:
    if not settings.semantic.enabled:
        message = _(
            "Off. With [semantic] enabled = true, translations and re-wordings are found, too."
        )
        return [Finding("semantic", True, message, checked=False)], ExitCode.DONE
    from paperless_fingerprint.checkup import semantic  # it loads a model

    return semantic.examine(settings)


def _store(settings: Settings, *, thoroughly: bool) -> Checkup:
    try:
        store = open_store(settings, create=False)
    except NoLibraryError as error:
        nothing = Finding(
            "store", True, _("Nothing is there yet: %(why)s", why=error), checked=False
        )
        return Checkup((nothing,), ExitCode.DONE)
    except FingerprintError as error:
        return Checkup((Finding("store", False, str(error)),), ExitCode(error.exit_code))
    try:
        report = store.report()
        notes = store.notes()
        settled = state_of(store)
        left_out = len(uncompared(store))
        damage = store.damage() if thoroughly and isinstance(store, SqliteFile) else ""
    except FingerprintError as error:
        return Checkup((Finding("store", False, str(error)),), ExitCode(error.exit_code))
    finally:
        store.close()
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
    findings = [Finding("store", True, held)]
    findings.append(Finding("settled", True, settled.in_words()))
    findings += [Finding("store", False, message) for message in report.findings]
    if damage:
        findings.append(
            Finding(
                "store",
                False,
                _(
                    "The library's file is damaged (%(damage)s). Restore it from a backup, or move "
                    "it away and run 'sync' and 'analyze'; what people decided is lost then.",
                    damage=damage,
                ),
            )
        )
    spec = notes.get(SPEC_NOTE)
    if spec is not None and spec != settings.spec().id:
        findings.append(
            Finding(
                "store",
                False,
                _(
                    "The settings of the fingerprint have changed since the library was made. "
                    "'paperless-fingerprint sync' or 'analyze' makes the fingerprints again."
                ),
            )
        )
    if outdated.due(notes, settings) is not outdated.Due.NOTHING:
        findings.append(
            Finding(
                "analysis",
                True,
                _(
                    "The thresholds or the rules of the comparison have changed since the library "
                    "was compared. Starting `serve`, or 'paperless-fingerprint analyze', updates "
                    "pairs and groups."
                ),
            )
        )
    if counts.pending:
        findings.append(
            Finding(
                "analysis",
                True,
                ngettext(
                    "%(num)s document is waiting to be compared; 'paperless-fingerprint analyze' "
                    "does it.",
                    "%(num)s documents are waiting to be compared; 'paperless-fingerprint analyze' "
                    "does it.",
                    counts.pending,
                ),
            )
        )
    if left_out:
        findings.append(
            Finding(
                "analysis",
                True,
                ngettext(
                    "%(num)s document has no text, or too little of it, to be compared; "
                    "'paperless-fingerprint uncompared' says which, and what to do.",
                    "%(num)s documents have no text, or too little of it, to be compared; "
                    "'paperless-fingerprint uncompared' says which, and what to do.",
                    left_out,
                ),
            )
        )
    ok = all(finding.ok for finding in findings)
    return Checkup(tuple(findings), ExitCode.DONE if ok else ExitCode.STORE)
