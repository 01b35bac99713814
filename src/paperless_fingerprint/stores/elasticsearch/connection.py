"""The way to the server: addresses, credentials, TLS; and whether it is one that we know."""

from __future__ import annotations

import base64
import logging
import re
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from elasticsearch import Elasticsearch, OrjsonSerializer

from paperless_fingerprint.errors import ConfigurationError, StoreError
from paperless_fingerprint.settings.addresses import parts_of
from paperless_fingerprint.stores.elasticsearch.failures import Failures
from paperless_fingerprint.stores.elasticsearch.opensearch import OPENSEARCH, Node, is_opensearch

OLDEST = (8, 19)
NEWEST_MAJOR = 9
OLDEST_OPENSEARCH, NEWEST_OPENSEARCH = 2, 3


@dataclass(frozen=True, slots=True)
class Address:
    """Where the library lies and who we are there."""

    hosts: tuple[str, ...]
    prefix: str = "paperless-fingerprint"
    username: str = ""
    password: str = ""
    api_key: str = ""
    ca_file: str = ""
    timeout_seconds: float = 30
    shards: int = 1
    replicas: int = 0

    @property
    def shown(self) -> str:
        """For messages: no user, no password."""
        return ", ".join(_without_user(host) for host in self.hosts)


def _without_user(host: str) -> str:
    return re.sub(r"//[^/]*@", "//", host).rstrip("/")


def connect(address: Address) -> Elasticsearch:
    if not re.fullmatch(r"[a-z0-9][a-z0-9_.-]{0,199}", address.prefix):
        raise ConfigurationError(
            f"[elasticsearch] prefix is '{address.prefix}', but index names have only small "
            "letters, digits, '-', '_' and '.'; paperless-fingerprint works."
        )
    # Its log is for developers. Without a handler its warnings would end up on the terminal.
    logging.getLogger("elastic_transport").addHandler(logging.NullHandler())
    options: dict[str, Any] = {
        "hosts": [_without_user(host) for host in address.hosts],
        "request_timeout": address.timeout_seconds,
        # Another host is asked when one is dead; what is written twice is the same twice.
        "max_retries": len(address.hosts) + 1,
        "retry_on_status": (),
        "serializer": OrjsonSerializer(),
        "node_class": Node,
    }
    username, password = address.username, address.password
    for host in address.hosts:
        parts = parts_of(host)
        if parts is not None and parts.username:
            username, password = unquote(parts.username), unquote(parts.password or "")
    if address.api_key:
        options["api_key"] = address.api_key
    elif username:
        # By hand: the client cannot spell a password with an umlaut.
        secret = base64.b64encode(f"{username}:{password}".encode()).decode()
        options["headers"] = {"authorization": f"Basic {secret}"}
    if any(host.startswith("https:") for host in address.hosts):
        options["verify_certs"] = True
        if address.ca_file:
            options["ca_certs"] = _checked_ca_file(address.ca_file)
    try:
        return Elasticsearch(**options)
    except ValueError as error:
        raise ConfigurationError(
            f"The store {address.shown} is no address of Elasticsearch ({error}); "
            "https://HOST:9200 is one, with the port."
        ) from error


def _checked_ca_file(name: str) -> str:
    path = str(Path(name).expanduser())
    try:
        ssl.create_default_context(cafile=path)
    except OSError as error:  # ssl.SSLError is one
        raise ConfigurationError(
            f"[elasticsearch] ca_file is {name}, and no certificate in PEM can be read there "
            f"({error}); name the certificate authority's file, or leave it out."
        ) from error
    return path


@dataclass(frozen=True, slots=True)
class Server:
    name: str
    version: str


def check_version(client: Elasticsearch, failures: Failures) -> Server:
    """The version of the oldest node. `GET /` is not asked: not every node answers it."""
    with failures.explained():
        answer = client.nodes.info(metric="http", filter_path="nodes.*.version")
    found = [str(node["version"]) for node in answer.get("nodes", {}).values()]
    version = min(found, key=_numbers, default="")
    if is_opensearch(answer):
        if not version or not OLDEST_OPENSEARCH <= _numbers(version)[0] <= NEWEST_OPENSEARCH:
            raise failures.store_error("no_elasticsearch")
        return Server(OPENSEARCH, version)
    if not version:
        raise failures.store_error("no_version")
    _check_known(version, failures)
    return Server("Elasticsearch", version)


def _check_known(version: str, failures: Failures) -> None:
    numbers = _numbers(version)
    if numbers[:2] >= OLDEST and numbers[0] <= NEWEST_MAJOR:
        return
    hint = "Upgrade it" if numbers[:2] < OLDEST else "Upgrade paperless-fingerprint"
    raise StoreError(
        f"The Elasticsearch at {failures.address} is version {version}, and this program knows "
        f"8.19 and later ones of 8, and 9. {hint}."
    )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


def hosts_of(hosts: Sequence[str]) -> tuple[str, ...]:
    """With the port that Elasticsearch has where none is given: the client insists on one."""
    complete = []
    for host in hosts:
        parts = parts_of(host)
        if parts is not None and parts.port is None and parts.netloc:
            default = 443 if parts.scheme == "https" else 9200
            host = host.replace(parts.netloc, f"{parts.netloc.rstrip(':')}:{default}", 1)  # noqa: PLW2901
        complete.append(host.rstrip("/"))
    return tuple(complete)
