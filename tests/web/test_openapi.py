"""The API does what its own description says, whatever is sent to it."""

from __future__ import annotations

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from paperless_work import LETTER, OTHER, RESCAN
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from paperless_fingerprint.demo.stand_in import StandIn
from serving import Service, served

CHECKS = [
    not_a_server_error, status_code_conformance, content_type_conformance,
    response_schema_conformance, negative_data_rejection,
]  # fmt: skip
#: An answer without an end is no answer to a property.
LEFT_OUT = {"GET /api/events"}
EXAMPLES = 25


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with StandIn(sign_ins_a_minute=100_000) as paperless:
        folder = tmp_path_factory.mktemp("api")
        config = folder / "settings.toml"
        config.write_text("# for what saves thresholds\n")
        with served(folder, paperless, config=str(config)) as service:
            for text in (LETTER, RESCAN, OTHER, OTHER.replace("Blume", "Blurne")):
                service.add(text, title="Ein Brief")
            service.sync()
            yield service


def test_each_answer_is_one_that_is_described(service: Service) -> None:
    told = httpx.get(f"{service.url}/api/openapi.json").json()
    headers = {"Authorization": f"Token {service.paperless.token}"}
    tried = 0
    for result in schemathesis.openapi.from_dict(told).get_all_operations():
        operation = result.ok()
        if operation.label in LEFT_OUT:
            continue
        modes = [GenerationMode.POSITIVE]
        if operation.body or operation.query:
            modes.append(GenerationMode.NEGATIVE)

        @given(case=st.one_of([operation.as_strategy(generation_mode=mode) for mode in modes]))
        @settings(
            max_examples=EXAMPLES, deadline=None, derandomize=True, database=None,
            suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        def answers_as_described(case) -> None:
            case.call_and_validate(base_url=service.url, headers=headers, checks=CHECKS)

        answers_as_described()
        tried += 1
    assert tried > 20


def test_it_is_openapi_3_1_and_needs_nobody_to_be_read(service: Service) -> None:
    answer = httpx.get(f"{service.url}/api/openapi.json")
    assert answer.status_code == 200
    told = answer.json()
    assert told["openapi"] == "3.1.0"
    paths = {"/api/search", "/api/consume", "/api/review/decide", "/api/events"}
    assert paths <= told["paths"].keys()


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/nothing", 404), ("DELETE", "/api/review", 405), ("PUT", "/thumb/1", 405),
        ("POST", "/api/search", 405), ("GET", "/api/review?page=0", 400),
        ("GET", "/api/review?nonsense=1", 400), ("GET", "/api/review?page=1&page=2", 400),
        ("GET", "/api/pairs/1/99999999999", 404), ("GET", "/api/pairs/1/1", 404),
        ("GET", "/api/review/g1%00", 404),
    ],
)  # fmt: skip
def test_every_error_has_one_form(service: Service, method: str, path: str, status: int) -> None:
    with service.machine() as client:
        answer = client.request(method, path)
        assert answer.status_code == status
        assert answer.headers["content-type"] == "application/problem+json"
        told = answer.json()
        assert told["status"] == status
        assert told["title"]
        assert told["detail"]
        if status == 405:
            assert answer.headers["allow"]


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"{", "application/json", 400), (b"[]", "application/json", 400),
        (b'{"orders": [{"item": 1}]}', "application/json", 400),
        (b'{"orders": []}', "application/json", 400), (b"orders=1", "text/plain", 415),
        (b'{"orders": "' + b"x" * 300_000 + b'"}', "application/json", 413),
        (b'{"orders": [' + b"[" * 5000 + b"]" * 5000 + b"]}", "application/json", 400),
        (b"\xff\xfe", "application/json", 400), (b"NaN", "application/json", 400),
    ],
)  # fmt: skip
def test_bodies_that_are_none(service: Service, content: bytes, kind: str, status: int) -> None:
    with service.machine() as client:
        answer = client.post("/api/review/decide", content=content, headers={"Content-Type": kind})
        assert answer.status_code == status
        assert answer.json()["status"] == status


def test_something_unexpected_tells_nothing(service: Service, monkeypatch, caplog) -> None:
    from paperless_fingerprint.review import library_view

    def broken(*_: object) -> None:
        raise ZeroDivisionError("secret of the house")

    monkeypatch.setattr(library_view, "view", broken)
    with service.machine() as client:
        answer = client.get("/api/library")
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert "ZeroDivisionError" in caplog.text
