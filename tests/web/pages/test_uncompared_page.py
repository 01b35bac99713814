"""The list of what could not be compared, and what to do about it."""

from __future__ import annotations

from browsing import any_store
from playwright.sync_api import expect
from test_every_page import too_wide, violations

from paperless_fingerprint.model import Document

DOCUMENTS = [
    Document(1, title="Photo of the roof", page_count=1, original_filename="roof.jpg"),
    Document(2, title="<script>alert(1)</script>", content="Thank you"),
    Document(3, title="Letter", content=" ".join(f"word{n}" for n in range(60))),
    *(Document(id, title=f"Receipt {id}", content=f"Paid {id}") for id in range(10, 70)),
]


def test_one_sees_why_and_has_paperless_recognise_again(open_site, chromium):
    site, window = open_site(DOCUMENTS)
    page = window.open()
    page.goto("/library")
    page.get_by_role("link", name="What could not be compared").click()
    expect(page.locator("h1")).to_have_text("Not compared")
    expect(page.locator("#total")).to_have_text("62 documents")
    expect(page.locator("tbody tr")).to_have_count(50)
    expect(page.get_by_text("No text was recognized (1)")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("link", name="Next").click()
    expect(page.locator("tbody tr")).to_have_count(12)
    page.get_by_label("Title or file name").fill("ROOF")
    page.get_by_role("button", name="Filter").click()
    row = page.locator("tbody tr")
    expect(row).to_have_count(1)
    expect(row).to_contain_text("roof.jpg")
    link = row.get_by_role("link")
    assert link.get_attribute("href").startswith(site.office.paperless.url)
    csv = page.get_by_role("link", name="Download as CSV")
    assert csv.get_attribute("href") == "/api/uncompared.csv?text=ROOF"
    # By keyboard alone.
    page.get_by_label("Select document 1").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#said")).to_contain_text("recognizing the text of 1 document again")
    expect(page.get_by_label("Title or file name")).to_have_value("ROOF")
    page.goto("/uncompared?reason=too_short&text=script")
    expect(page.locator("tbody tr")).to_contain_text("<script>alert(1)</script>")
    assert site.office.paperless.requests["POST", "/api/documents/bulk_edit/"] == 1


def test_on_a_phone_in_the_dark(open_site, chromium):
    _, window = open_site(DOCUMENTS[:3])
    page = window.open(viewport={"width": 360, "height": 700}, color_scheme="dark")
    page.goto("/uncompared")
    expect(page.locator("tbody tr")).to_have_count(2)
    assert (violations(page), too_wide(page)) == ([], 0)


@any_store
def test_what_is_encrypted_is_not_said_to_be_without_text(page, chromium):
    page.goto("/uncompared?reason=encrypted")
    rows = page.locator("tbody tr")
    expect(rows).to_have_count(3)
    for id, name in ((39, "LStB_2023_geschuetzt.pdf"), (41, "Renteninformation_2024.pdf")):
        expect(rows.filter(has_text=str(id))).to_contain_text(name)
    expect(page.get_by_text("The file is encrypted (3)")).to_be_visible()
    expect(page.locator("main")).to_contain_text("Remove password")
    page.goto("/uncompared?reason=no_text")
    expect(page.locator("main")).not_to_contain_text("geschuetzt")
