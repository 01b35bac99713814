"""The indices: defined in es_mappings/*.json and nowhere else, each behind an alias.

`<prefix>-documents` is the alias that everything goes through; behind it stands
`<prefix>-documents-v1-000001`. What makes an index ours is the `_meta` of its mapping.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import orjson
from elasticsearch import BadRequestError, Elasticsearch

from paperless_fingerprint.errors import StoreError
from paperless_fingerprint.stores.elasticsearch.connection import Address
from paperless_fingerprint.stores.elasticsearch.failures import Failures, reason_of

PROGRAM = "paperless-fingerprint"
KINDS = ("documents", "pairs", "groups", "decisions", "library")


@dataclass(frozen=True, slots=True)
class IndexDefinition:
    kind: str
    version: int
    settings: Mapping[str, Any]
    mappings: Mapping[str, Any]

    def alias(self, prefix: str) -> str:
        return f"{prefix}-{self.kind}"

    def index(self, prefix: str, number: int) -> str:
        return f"{prefix}-{self.kind}-v{self.version}-{number:06}"


@dataclass(frozen=True, slots=True)
class FoundIndex:
    """What stands behind an alias."""

    name: str
    version: int


@lru_cache(maxsize=1)
def definitions() -> Mapping[str, IndexDefinition]:
    newest: dict[str, IndexDefinition] = {}
    for file in mappings_folder().iterdir():
        match = re.fullmatch(r"([a-z]+)\.v(\d+)\.json", file.name)
        if not match:
            continue
        kind, version = match[1], int(match[2])
        if kind not in newest or newest[kind].version < version:
            content = orjson.loads(file.read_bytes())
            newest[kind] = IndexDefinition(kind, version, content["settings"], content["mappings"])
    return {kind: newest[kind] for kind in KINDS}


def mappings_folder() -> Traversable:
    """Beside the code in an installed wheel, at the top of the repository in a checkout."""
    installed = resources.files("paperless_fingerprint") / "es_mappings"
    return installed if installed.is_dir() else Path(__file__).parents[4] / "es_mappings"


def create_index(
    client: Elasticsearch, definition: IndexDefinition, address: Address, name: str, **more: Any
) -> bool:
    """False where somebody else was quicker."""
    index = {
        **definition.settings["index"],
        "number_of_shards": address.shards if definition.kind == "documents" else 1,
        "number_of_replicas": address.replicas,
    }
    try:
        client.indices.create(
            index=name,
            settings={"index": index},
            mappings=definition.mappings,
            # With every copy there from the first write on, what is acknowledged outlives a node.
            wait_for_active_shards="all",
            **more,
        )
    except BadRequestError as error:
        if reason_of(error)[0] == "resource_already_exists_exception":
            return False
        raise
    return True


def look_up(
    client: Elasticsearch,
    known: Mapping[str, IndexDefinition],
    address: Address,
    failures: Failures,
) -> dict[str, FoundIndex]:
    """What is there of the library, by kind. Refuses what is not ours or not understood."""
    found: dict[str, FoundIndex] = {}
    aliases = {definition.alias(address.prefix): kind for kind, definition in known.items()}
    answer = client.indices.get(
        index=list(aliases),
        ignore_unavailable=True,
        allow_no_indices=True,
        expand_wildcards="none",
        # The uuid is asked for so that no index is left out of the answer.
        filter_path="*.mappings._meta,*.aliases,*.settings.index.uuid",
    )
    for name, index in answer.items():
        behind = [alias for alias in index.get("aliases", {}) if alias in aliases]
        for alias in [name] if name in aliases else behind:
            meta = index.get("mappings", {}).get("_meta", {})
            definition = known[aliases[alias]]
            if definition.kind in found:
                raise StoreError(
                    f"The alias {alias} at {failures.address} stands for two indices, "
                    f"{found[definition.kind].name} and {name}. Take it from the wrong one."
                )
            found[definition.kind] = _checked(name, alias, definition, meta, failures)
    return found


def _checked(
    name: str,
    alias: str,
    definition: IndexDefinition,
    meta: Mapping[str, Any],
    failures: Failures,
) -> FoundIndex:
    if meta.get("program") != PROGRAM or meta.get("kind") != definition.kind or name == alias:
        raise StoreError(
            f"The index {name} at {failures.address} belongs to another program. "
            "Choose another [elasticsearch] prefix; nothing was changed."
        )
    version = int(meta.get("version", 0))
    if version > definition.version:
        raise StoreError(
            f"The index {name} at {failures.address} was written by a newer "
            f"paperless-fingerprint (its format is {version}, this program knows "
            f"{definition.version}). Upgrade the program; nothing was changed."
        )
    return FoundIndex(name, version)
