"""The address that stands beside tagged documents in Paperless leads to what there is to compare."""

from __future__ import annotations

import pytest
from paperless_work import LETTER, OTHER, RESCAN

from paperless_fingerprint.demo.stand_in.documents import trash_document
from serving import Service


def lead(service: Service, name: str, id: int) -> str:
    with service.browser(name) as client:
        answer = client.get(f"/compare/{id}")
        if answer.status_code != 303:
            return str(answer.status_code)
        page = client.get(answer.headers["location"])
        assert page.status_code == 200, answer.headers["location"]
    return answer.headers["location"]


@pytest.fixture
def letters(service: Service) -> Service:
    service.user("root", superuser=True)
    anna = service.user("anna")
    service.add(LETTER)
    service.add(RESCAN)
    service.add(OTHER)
    service.add(OTHER, owner=anna)
    service.add("Danke", owner=service.user("ben"))
    service.sync()
    return service


def test_it_leads_to_the_group_with_this_document_beside_the_one_to_keep(letters) -> None:
    assert lead(letters, "root", 2) == "/review/g1?with=2"
    assert lead(letters, "root", 1) == "/review/g1?with=1"
    assert lead(letters, "anna", 4) == "/review/g3?with=4"


def test_where_nothing_is_left_to_compare_it_leads_to_the_document(letters) -> None:
    library = letters.paperless.library
    with library.lock:
        trash_document(library, library.documents[2])
    letters.sync()
    assert lead(letters, "root", 1) == "/documents/1"
    assert lead(letters, "root", 2) == "404"


def test_nobody_learns_of_what_they_may_not_see(letters) -> None:
    assert lead(letters, "ben", 3) == "/documents/3"
    assert lead(letters, "ben", 4) == lead(letters, "ben", 99) == "404"


def test_who_is_not_signed_in_comes_back_to_it(letters) -> None:
    import httpx

    answer = httpx.get(f"{letters.url}/compare/2")
    assert answer.headers["location"] == "/sign-in?back=%2Fcompare%2F2"
