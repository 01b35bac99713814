"""A link back from Paperless, and what could not be compared, against a real Paperless-ngx."""

from __future__ import annotations

from paperless_work import LETTER, OTHER, RESCAN
from real_office import LOCKED, RealOffice
from waiting import until

from paperless_fingerprint.integration.feedback import tell
from paperless_fingerprint.library.uncompared import uncompared

PAGE = "https://duplicates.example.org/fp"


def test_tagged_documents_lead_to_the_page_that_compares_them(office: RealOffice):
    office.environment["PAPERLESS_FINGERPRINT_SERVICE_PUBLIC_URL"] = PAGE
    account = office.real.field("Konto", "string")
    a, b, other = office.add(LETTER), office.add(RESCAN), office.add(OTHER)
    office.sync()
    office.apply()
    for id in (a, b):
        assert office.fields(id)["compare"] == f"{PAGE}/compare/{id}"
    assert "compare" not in office.fields(other)
    assert not office.apply().added
    # Whoever saves another field of it can.
    assert office.save(b, account, "DE02") == 200
    office.environment["PAPERLESS_FINGERPRINT_SERVICE_PUBLIC_URL"] = "http://192.168.1.5:8760"
    office.apply()
    assert office.fields(b)["compare"] == f"http://192.168.1.5:8760/compare/{b}"
    office.put_on(b, "not_duplicate")
    office.sync()
    assert "compare" not in office.fields(a)
    assert set(office.fields(b)) == {f"Konto {office.real.mark}"}
    with office.open() as place, place.lock.held():
        assert not tell.take_back_all(place).problems
    assert office.labels["field_compare"] not in office.real.names("custom_fields").values()


def test_what_could_not_be_compared_has_its_reason(office: RealOffice):
    locked = office.real.upload("", "office", "locked", pdf=LOCKED)
    short = office.add("Danke für alles")
    office.add(LETTER)
    office.sync()
    with office.open() as place:
        found = {each.id: each.reason.value for each in uncompared(place.store)}
        assert found == {locked: "encrypted", short: "too_short"}
        office.real.ask("PATCH", f"documents/{short}/", json={"content": "misread"})
        assert place.paperless.reprocess([short]).done == (short,)
    until(
        lambda: office.real.document(short)["content"].strip() == "Danke für alles",
        "the text read again",
    )
