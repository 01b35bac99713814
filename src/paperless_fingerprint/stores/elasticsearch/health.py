"""How the library in Elasticsearch is doing; and bringing its index into its smallest form."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from elasticsearch import Elasticsearch

from paperless_fingerprint.stores.base import StoreCounts, StoreReport
from paperless_fingerprint.stores.elasticsearch.connection import Address, Server
from paperless_fingerprint.stores.elasticsearch.failures import Failures
from paperless_fingerprint.stores.elasticsearch.scan import Reader


def report(
    client: Elasticsearch,
    failures: Failures,
    reader: Reader,
    names: Mapping[str, str],
    *,
    address: Address,
    server: Server,
    namespace: UUID,
    pending: int,
) -> StoreReport:
    with failures.explained():
        health = client.cluster.health(index=list(names.values()), level="indices")
        stats = client.indices.stats(index=list(names.values()), metric="store")
        settings = client.indices.get_settings(
            index=list(names.values()), filter_path="*.settings.index.blocks"
        )
    counts = StoreCounts(
        documents=reader.count(names["documents"]),
        pending=pending,
        pairs=reader.count(names["pairs"]),
        groups=reader.count(names["groups"], {"term": {"kind": "group"}}),
        decisions=reader.count(names["decisions"]),
    )
    return StoreReport(
        kind=server.name,
        address=address.shown,
        version=server.version,
        counts=counts,
        bytes_used=int(stats["_all"]["total"]["store"]["size_in_bytes"]),
        findings=(*_findings(health, address), *_blocked(settings)),
        details={
            "prefix": address.prefix,
            "indices": ", ".join(sorted(health["indices"])),
            "nodes": str(health["number_of_nodes"]),
            "namespace": str(namespace),
        },
    )


def _findings(health: Any, address: Address) -> list[str]:
    found = []
    if health["status"] == "red":
        found.append(
            "A part of the index is missing (the cluster is red). Bring the missing nodes up again."
        )
    elif health["status"] == "yellow":
        found.append(
            f"{health['unassigned_shards']} copies of parts of the index have no node (the cluster is "
            "yellow): where a node is lost now, documents may be. Bring the missing node up again, "
            "add one, or lower number_of_replicas."
        )
    # Of the indices that are there, whatever the setting says of those to come.
    copies = [index["number_of_replicas"] for index in health["indices"].values()]
    if health["number_of_data_nodes"] > 1 and 0 in copies:
        found.append(
            f"{copies.count(0)} of {len(copies)} indices have no replica, though there are several "
            "nodes: what a lost node holds is lost. [elasticsearch] replicas = 1 helps indices that "
            f"are made later; for these: PUT {address.prefix}-*/_settings "
            '{"index": {"number_of_replicas": 1}}'
        )
    return found


def _blocked(settings: Any) -> list[str]:
    found = []
    for name, index in settings.items():
        blocks = index["settings"]["index"]["blocks"]
        if "true" in (blocks.get("write"), blocks.get("read_only")):
            found.append(f"The index {name} is read-only. Take its index.blocks settings away.")
        elif blocks.get("read_only_allow_delete") == "true":
            found.append(f"The index {name} takes no writes: the server's disk is full.")
    return found


def settle(client: Elasticsearch, failures: Failures, index: str, timeout_seconds: float) -> None:
    """Drop what the server keeps of every document for recovery, the whole source once more.

    It goes with the next merge, but not before the server has noted (every 30 seconds) that no copy
    will need it. An import on its own ends before that.
    """
    with failures.explained():
        client.indices.refresh(index=index)
        client.indices.flush(index=index)
        deadline = time.monotonic() + timeout_seconds
        while not _may_be_dropped(client, index) and time.monotonic() < deadline:
            time.sleep(0.5)
        client.options(request_timeout=3600).indices.forcemerge(index=index, max_num_segments=1)
        client.indices.flush(index=index, force=True)


def _may_be_dropped(client: Elasticsearch, index: str) -> bool:
    answer = client.indices.stats(index=index, level="shards", metric="store")
    for found in answer["indices"].values():
        for copies in found["shards"].values():
            for copy in copies:
                newest = copy["seq_no"]["max_seq_no"]
                leases = copy["retention_leases"]["leases"]
                if any(lease["retaining_seq_no"] <= newest for lease in leases):
                    return False
    return True
