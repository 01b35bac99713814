"""What could not be compared, through the API, with the rights of whoever asks."""

from __future__ import annotations

import csv
import io

import pytest

from serving import RIGHTS, Service


@pytest.fixture
def filled(service: Service) -> Service:
    anna = service.user("anna")
    service.user("ben")
    service.user("carl", permissions=[right for right in RIGHTS if right != "change_document"])
    service.add("", title="Foto vom Dach", page_count=1)
    service.add("Danke für alles", title="Karte", owner=anna)
    service.add("", title="=1+1", owner=anna, page_count=2)
    service.add("wort " * 60, title="Brief")
    service.sync()
    return service


def test_each_sees_what_they_may_see(filled: Service) -> None:
    def seen(name: str) -> list[int]:
        with filled.machine(name) as client:
            told = client.get("/api/uncompared").json()
        assert told["total"] == len(told["documents"])
        return [each["id"] for each in told["documents"]]

    assert seen("") == seen("anna") == [1, 3, 2]
    assert seen("ben") == [1]


def test_it_can_be_filtered(filled: Service) -> None:
    with filled.machine() as client:

        def ids(**given: object) -> list[int]:
            found = client.get("/api/uncompared", params=given)  # type: ignore[arg-type]
            return [each["id"] for each in found.json()["documents"]]

        assert ids(reason="too_short") == [2]
        assert ids(text="dach FOTO") == [1]
        assert ids(text="dach", reason="too_short") == []
        told = client.get("/api/uncompared", params={"per_page": 2, "page": 2}).json()
        assert ([each["id"] for each in told["documents"]], told["pages"]) == ([2], 2)
        assert told["reasons"] == [
            {"name": "no_text", "count": 2},
            {"name": "too_short", "count": 1},
        ]
        assert client.get("/api/uncompared", params={"reason": "x"}).status_code == 400


def test_the_csv_is_safe_in_a_spreadsheet(filled: Service) -> None:
    with filled.machine("anna") as client:
        answer = client.get("/api/uncompared.csv", params={"reason": "no_text"})
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(answer.text.removeprefix("\ufeff"))))
    assert [(row["id"], row["title"]) for row in rows] == [("1", "Foto vom Dach"), ("3", "'=1+1")]
    assert rows[0]["address"].endswith("/documents/1/details")


def test_paperless_recognises_again_what_one_may_change(filled: Service) -> None:
    with filled.browser("anna") as client:
        told = client.post("/api/uncompared/reprocess", json={"ids": [1, 2]})
        assert told.json() == {"started": [1, 2], "refused": []}
    assert filled.paperless.requests["POST", "/api/documents/bulk_edit/"] == 1
    with filled.browser("ben") as client:
        # What one may not see is not there.
        assert client.post("/api/uncompared/reprocess", json={"ids": [2]}).status_code == 404
    with filled.browser("carl") as client:
        told = client.post("/api/uncompared/reprocess", json={"ids": [1]})
        assert told.status_code == 403
    with filled.browser("anna") as client:
        for ids in ([], [4], [*range(1, 200)]):
            assert client.post("/api/uncompared/reprocess", json={"ids": ids}).status_code >= 400
        del client.headers["X-CSRF-Token"]
        assert client.post("/api/uncompared/reprocess", json={"ids": [1]}).status_code == 403
