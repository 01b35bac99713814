"""What `doctor` looks at. Each finding says what is so and, where it is amiss, what to do."""

from __future__ import annotations

from dataclasses import dataclass

from paperless_fingerprint.checkup import files
from paperless_fingerprint.checkup.finding import Finding
from paperless_fingerprint.errors import ExitCode, FingerprintError
from paperless_fingerprint.library import outdated
from paperless_fingerprint.library.intake import SPEC_NOTE
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.opening import open_store


@dataclass(frozen=True, slots=True)
class Checkup:
    findings: tuple[Finding, ...]
    exit_code: ExitCode


def examine(settings: Settings) -> Checkup:
    from paperless_fingerprint.checkup import paperless  # it brings the HTTP client along

    store = _store(settings)
    findings, code = paperless.examine(settings)
    semantic, semantic_code = _semantic(settings)
    worst = store.exit_code or code or semantic_code
    readable = files.examine(settings)
    if readable:
        worst = worst or ExitCode.CONFIGURATION
    return Checkup((*store.findings, *readable, *semantic, *findings), worst)


def _semantic(settings: Settings) -> tuple[list[Finding], ExitCode]:
    if not settings.semantic.enabled:
        message = "Off. [semantic] enabled = true finds translations and re-wordings, too."
        return [Finding("semantic", True, message)], ExitCode.DONE
    from paperless_fingerprint.checkup import semantic  # it loads a model

    return semantic.examine(settings)


def _store(settings: Settings) -> Checkup:
    try:
        store = open_store(settings, create=False)
    except FingerprintError as error:
        return Checkup((Finding("store", False, str(error)),), ExitCode(error.exit_code))
    try:
        report = store.report()
        notes = store.notes()
    except FingerprintError as error:
        return Checkup((Finding("store", False, str(error)),), ExitCode(error.exit_code))
    finally:
        store.close()
    counts = report.counts
    size = "" if report.bytes_used is None else f", {report.bytes_used / 1e6:,.1f} MB"
    findings = [
        Finding(
            "store",
            True,
            f"{report.kind} {report.version} at {report.address}: {counts.documents:,} documents, "
            f"{counts.pairs:,} pairs, {counts.groups:,} groups, {counts.decisions:,} decisions{size}.",
        )
    ]
    findings += [Finding("store", False, message) for message in report.findings]
    spec = notes.get(SPEC_NOTE)
    if spec is not None and spec != settings.spec().id:
        findings.append(
            Finding(
                "store",
                False,
                "The settings that shape a fingerprint have changed since the library was made. "
                "'paperless-fingerprint sync' or 'analyze' fingerprints it anew.",
            )
        )
    if outdated.due(notes, settings) is not outdated.Due.NOTHING:
        findings.append(
            Finding(
                "analysis",
                True,
                "The thresholds or the rules of the judgement have changed since the library was "
                "judged. A start of `serve`, or "
                "'paperless-fingerprint analyze', brings pairs and groups into line with them.",
            )
        )
    if counts.pending:
        findings.append(
            Finding(
                "analysis",
                True,
                f"{counts.pending:,} documents wait for their analysis; "
                "'paperless-fingerprint analyze' does it.",
            )
        )
    ok = all(finding.ok for finding in findings)
    return Checkup(tuple(findings), ExitCode.DONE if ok else ExitCode.STORE)
