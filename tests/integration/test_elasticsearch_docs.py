"""What docs/elasticsearch.md tells people who ask the server themselves."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

import paperless_fingerprint as pf
from documents import some_text
from paperless_fingerprint.cli import main

DOCS = (Path(__file__).parent.parent.parent / "docs" / "elasticsearch.md").read_text()
pytestmark = pytest.mark.elasticsearch


@pytest.fixture
def library(
    elasticsearch9: str, index_prefix: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("PAPERLESS_FINGERPRINT_STORE", elasticsearch9)
    with pf.Library(elasticsearch9, elasticsearch_prefix=index_prefix) as opened:
        text = some_text(200, 1)
        opened.add(
            pf.Document(12, content=f"invoice {text}"),
            pf.Document(40, content=f"invoice {text} and more"),
            pf.Document(41, content=some_text(200, 2)),
        )
        opened.analyse()
        yield opened


def _ids(answer: dict[str, Any]) -> list[int]:
    return [int(hit["_id"]) for hit in answer["hits"]["hits"]]


def test_what_explain_prints_finds_the_copies_through_the_server_alone(
    library: pf.Library, elasticsearch9: str, index_prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAPERLESS_FINGERPRINT_ELASTICSEARCH_PREFIX", index_prefix)
    command = re.search(r"^paperless-fingerprint (search '.*' --explain)$", DOCS, re.MULTILINE)
    assert command is not None
    told = CliRunner().invoke(main, shlex.split(command[1])).stdout
    _, _, request = told.partition("For Kibana:\n")
    first, _, body = request.partition("\n")
    assert first == f"GET {index_prefix}-documents/_search"
    url = f"{elasticsearch9}/{index_prefix}-documents/_search"
    assert _ids(httpx.post(url, json=json.loads(body)).json()) == [40]


def test_the_example_for_python_runs(
    library: pf.Library, elasticsearch9: str, index_prefix: str, capsys, monkeypatch
) -> None:
    monkeypatch.setenv("PAPERLESS_FINGERPRINT_ELASTICSEARCH_PREFIX", index_prefix)
    (program,) = re.findall(r"```python\n(.*?)```", DOCS, re.DOTALL)
    names: dict[str, Any] = {}
    exec(program.replace("http://localhost:9200", elasticsearch9), names)
    assert capsys.readouterr().out.startswith("40 ")
    url = f"{elasticsearch9}/{index_prefix}-documents/_search"
    assert _ids(httpx.post(url, json=names["body"]).json()) == [40]


def test_the_filter_in_the_line_for_curl_gives_the_query(
    library: pf.Library, elasticsearch9: str, index_prefix: str
) -> None:
    program = re.search(r"python3 -c '(.*?)'", DOCS)
    assert program is not None
    plan = json.dumps(library.explain("FINGERPRINT:12_20"))
    done = subprocess.run(
        [sys.executable, "-c", program[1]], input=plan, capture_output=True, text=True, check=True
    )
    url = f"{elasticsearch9}/{index_prefix}-documents/_search"
    assert _ids(httpx.post(url, json=json.loads(done.stdout)).json()) == [40]


def test_the_pairs_are_there_to_be_asked(
    library: pf.Library, elasticsearch9: str, index_prefix: str
) -> None:
    asked = re.search(r"GET paperless-fingerprint-pairs/_search\n(.*?)```", DOCS, re.DOTALL)
    assert asked is not None
    body = asked[1].replace('"near"', json.dumps(next(library.pairs()).relation.value))
    found = httpx.post(
        f"{elasticsearch9}/{index_prefix}-pairs/_search", json=json.loads(body)
    ).json()
    (source,) = (hit["_source"] for hit in found["hits"]["hits"])
    assert (source["a"], source["b"]) == (12, 40)


def test_a_copy_of_what_is_in_source_has_no_fingerprints(
    library: pf.Library, elasticsearch9: str, index_prefix: str
) -> None:
    """Which is why the docs say not to use _reindex: that is what it copies. (The node that the
    tests start has no module for it.)"""
    there = f"{elasticsearch9}/{index_prefix}-documents"
    (mapping,) = httpx.get(f"{there}/_mapping").json().values()
    copy = f"{elasticsearch9}/{index_prefix}-copy"
    assert httpx.put(copy, json=mapping).status_code == 200
    for hit in httpx.get(f"{there}/_search").json()["hits"]["hits"]:
        done = httpx.put(f"{copy}/_doc/{hit['_id']}?refresh=true", json=hit["_source"])
        assert done.status_code == 201, done.text
    assert httpx.get(f"{copy}/_count").json()["count"] == 3
    body = library.explain("FINGERPRINT:12_20")["request"]["dsl"]
    assert _ids(httpx.post(f"{there}/_search", json=body).json()) == [40]
    assert _ids(httpx.post(f"{copy}/_search", json=body).json()) == []
