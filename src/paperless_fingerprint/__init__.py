"""Finds duplicates in a Paperless-ngx library and searches it by fingerprint.

This is the whole interface for Python; docs/python.md shows it. What a name stands for is loaded
when it is asked for, so the import itself costs nothing.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paperless_fingerprint import interop
    from paperless_fingerprint.api.library import Library
    from paperless_fingerprint.api.texts import compare, fingerprint
    from paperless_fingerprint.errors import (
        ConfigurationError,
        FingerprintError,
        PaperlessError,
        PartlyDone,
        StoreError,
        UsageError,
    )
    from paperless_fingerprint.fingerprints.spec import FingerprintSpec
    from paperless_fingerprint.model import Document, Fingerprint, Group, Pair, Relation

__version__ = "0.1.0"

__all__ = [
    "ConfigurationError",
    "Document",
    "Fingerprint",
    "FingerprintError",
    "FingerprintSpec",
    "Group",
    "Library",
    "Pair",
    "PaperlessError",
    "PartlyDone",
    "Relation",
    "StoreError",
    "UsageError",
    "__version__",
    "compare",
    "fingerprint",
    "interop",
]

# Not for type checkers: to them every name would exist.
if not TYPE_CHECKING:
    _HOMES = {
        "Library": "api.library",
        "compare": "api.texts",
        "fingerprint": "api.texts",
        "FingerprintSpec": "fingerprints.spec",
        **dict.fromkeys(("Document", "Fingerprint", "Group", "Pair", "Relation"), "model"),
    }

    def __getattr__(name: str) -> object:
        from importlib import import_module

        if name not in __all__:
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
        if name == "interop":
            return import_module(f"{__name__}.interop")
        found = getattr(import_module(f"{__name__}.{_HOMES.get(name, 'errors')}"), name)
        globals()[name] = found
        return found

    def __dir__() -> list[str]:
        return sorted(__all__)
