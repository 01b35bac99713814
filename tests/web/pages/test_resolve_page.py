"""Bringing groups to their end on the page: with two keys each, seen before, and taken back."""

from __future__ import annotations

import re
from dataclasses import replace

from browsing import PHONE, any_store
from paperless_work import LETTER, RESCAN
from playwright.sync_api import Page, expect
from test_every_page import too_wide, violations

from paperless_fingerprint.demo.stand_in.fields import create_field
from paperless_fingerprint.integration.feedback.labels import TAKEN_BACK_NOTE
from paperless_fingerprint.integration.feedback.tell import take_back_all
from paperless_fingerprint.model import Document


def letters(count: int) -> list[Document]:
    """So many letters, each with a re-scan; nothing in common between them."""
    from documents import some_text

    found = []
    for number in range(count):
        text = f"Vorgang {number} " + some_text(60, seed=number)
        found.append(Document(2 * number + 1, title=f"Letter {number}", content=text))
        found.append(Document(2 * number + 2, title=f"Copy {number}", content=text))
    return found


def given(office) -> None:
    """What people have put on the copies."""
    library = office.paperless.library
    tag = library.add_label("tags", "Taxes <b>2024</b>").id
    who = library.add_label("correspondents", "\u202eYtilitU").id
    field = create_field(library, {"name": "Account", "data_type": "string"}).id
    for row in library.documents.values():
        if row.id % 2 == 0:
            row.tags.append(tag)
            row.correspondent = who
        row.custom_fields[field] = f"DE{row.id:02}"


def state(office) -> dict[int, object]:
    library = office.paperless.library
    with library.lock:
        return {
            row.id: (row.title, row.correspondent, sorted(row.tags), sorted(row.custom_fields.items()))
            for row in library.documents.values()
        }  # fmt: skip


def first_entry(page: Page) -> None:
    page.goto("/review")
    page.locator("[data-row]").first.click()
    page.wait_for_url("**/review/g*")


def test_groups_one_after_another_with_two_keys_each_and_all_taken_back(
    open_site, chromium
) -> None:
    site, window = open_site(letters(12), before=given)
    before = state(site.office)
    page = window.open()
    first_entry(page)
    page.keyboard.press("r")
    page.wait_for_url("**/resolve**")
    for left in range(11, -1, -1):
        expect(page.get_by_role("heading", name="Changes in Paperless")).to_be_visible()
        expect(page.locator(".head")).to_contain_text(f"1 of {left + 1}")
        if left % 3 == 0:
            page.keyboard.press("2")  # the other one is kept
            expect(page.locator(".keepers .kept input")).to_have_id(re.compile("keep-"))
            expect(page.locator(".keepers li").nth(1)).to_have_class(re.compile("kept"))
        page.keyboard.press("y")
        expect(page.locator("#said")).to_contain_text("moved to the trash")
    expect(page.get_by_role("heading", name="Nothing to review")).to_be_visible()
    library = site.office.paperless.library
    assert (len(library.documents), len(library.trash)) == (12, 12)
    assert all(row.correspondent for row in library.documents.values())
    # Each with one key again.
    page.keyboard.press("u")
    expect(page.locator("#said")).to_contain_text("Undone")
    page.locator("[data-row]").first.click()
    page.wait_for_url("**/review/g*")
    page.keyboard.press("r")
    page.wait_for_url("**/resolve**")
    for back in range(2, 13):
        page.keyboard.press("u")
        expect(page.locator(".head")).to_contain_text(f"of {back}")
    assert library.trash == {}
    assert state(site.office) == before


def test_what_differs_is_chosen_and_the_preview_follows(open_site, chromium) -> None:
    site, window = open_site(letters(1), before=given)
    page = window.open()
    page.goto("/review/g1/resolve")
    table = page.get_by_role("group", name="What differs")
    expect(table).to_contain_text("DE02")
    # Markup is text, and a name from right to left turns nothing around.
    expect(table).to_contain_text("Taxes <b>2024</b>")
    told = page.locator("section", has=page.get_by_role("heading", name="Changes in Paperless"))
    expect(told).to_contain_text("tag “Taxes <b>2024</b>”")
    expect(told).to_contain_text("moved to the trash")
    choice = page.get_by_label("What Account becomes")
    choice.select_option(label="2: DE02")
    expect(told).to_contain_text("Account: DE02")
    expect(choice).to_be_focused()
    expect(choice).to_have_value(re.compile("field:.* 2"))
    page.get_by_label("What Tags becomes").select_option(label="Only those of 1")
    expect(told).not_to_contain_text("tag “Taxes")
    page.keyboard.press("Escape")
    page.locator("main").focus()
    page.keyboard.press("y")
    expect(page.locator("#said")).to_contain_text("moved to the trash")
    row = site.office.paperless.library.documents[1]
    assert (list(row.custom_fields.values()), row.tags) == (["DE02"], [])


def test_an_entry_says_what_either_decision_would_change(open_site, chromium) -> None:
    def forgotten(office) -> None:
        # An old library about which nobody has asked for labels yet.
        with office.open() as place:
            take_back_all(place)
            place.store.put_notes({TAKEN_BACK_NOTE: ""})

    site, window = open_site(letters(1), before=forgotten)
    before = state(site.office)
    page = window.open()
    page.goto("/review/g1")
    told = page.locator("section", has=page.get_by_role("heading", name="Changes in Paperless"))
    expect(told).to_contain_text("If you confirm")
    expect(told).to_contain_text("gets tag “Has duplicates”")
    expect(told).to_contain_text("Nothing changes in Paperless.")
    assert state(site.office) == before
    page.keyboard.press("s")
    expect(page.locator("#said")).to_contain_text("Confirmed")
    quiet = window.open(java_script_enabled=False)
    quiet.goto("/review/g1")
    quiet.get_by_role("link", name="What either decision would change").click()
    expect(quiet.locator("main")).to_contain_text("If you say they are different")


def test_both_are_kept_with_one_key(open_site, chromium) -> None:
    site, window = open_site(letters(1))
    page = window.open()
    page.goto("/review/g1/resolve")
    page.keyboard.press("a")
    expect(page.locator("#said")).to_contain_text("Confirmed")
    assert len(site.office.paperless.library.documents) == 2


def test_all_identical_groups_at_once_and_back(open_site, chromium) -> None:
    site, window = open_site(letters(8), before=given)
    library = site.office.paperless.library
    before = state(site.office)
    page = window.open()
    page.goto("/review")
    page.get_by_role("link", name="All identical groups: keep one of each").click()
    expect(page.get_by_role("heading", name="8 groups would be resolved")).to_be_visible()
    assert (violations(page), too_wide(page)) == ([], 0)
    page.get_by_label("These documents, by their IDs").fill("2")
    page.locator("#rule-0").select_option("newest")
    expect(page.locator(".stack").first).to_contain_text("Copy 0")
    page.get_by_label("Documents with the tag").select_option("Taxes <b>2024</b>")
    expect(page.get_by_role("heading", name="8 groups would be resolved")).to_be_visible()
    page.get_by_role("button", name="Move 8 documents to the trash").click()
    expect(page.locator("#progress")).to_contain_text("8 groups resolved")
    expect(page.get_by_role("heading", name="Done")).to_be_visible()
    assert set(library.documents) == {2 * n + 2 for n in range(8)}
    assert (violations(page), too_wide(page)) == ([], 0)
    page.goto("/decisions")
    page.get_by_role("link", name="Progress").click()
    page.wait_for_url("**/batches/*")  # and until its keys are heard
    page.keyboard.press("u")
    expect(page.locator("#progress")).to_contain_text("8 undone")
    assert library.trash == {}
    assert state(site.office) == before


def test_what_is_ticked_and_what_was_not_done_is_said(open_site, chromium) -> None:
    site, window = open_site(letters(3))
    page = window.open(viewport=PHONE, color_scheme="dark")
    page.goto("/review")
    for box in page.locator("[name=pick]").all()[:2]:
        box.check()
    page.get_by_role("button", name="Keep one of each").click()
    expect(page.get_by_role("heading", name="2 groups would be resolved")).to_be_visible()
    assert (violations(page), too_wide(page)) == ([], 0)
    # A title with markup, and turned around; and a text that somebody changes this very moment.
    row = site.office.paperless.library.documents[2]
    row.title, row.content = "<i>scan</i> \u202efdp.exe", "Somebody wrote this"
    page.get_by_role("button", name="Move 2 documents to the trash").click()
    expect(page.locator("#progress")).to_contain_text("1 group resolved")
    expect(page.locator("#progress")).to_contain_text("Nothing was done")
    assert (violations(page), too_wide(page)) == ([], 0)
    assert len(site.office.paperless.library.trash) == 1


def test_what_has_changed_meanwhile_is_said_and_nothing_is_done(open_site, chromium) -> None:
    site, window = open_site(letters(1))
    page = window.open()
    page.goto("/review/g1/resolve")
    site.office.paperless.library.documents[2].title = "Another title"
    page.keyboard.press("y")
    expect(page.locator("main")).to_contain_text("Nothing was done")
    page.get_by_role("link", name="Look again").or_(
        page.get_by_role("link", name=re.compile("Back"))
    ).first.click()
    assert site.office.paperless.library.trash == {}


def test_it_works_without_script_and_on_a_phone(open_site, chromium) -> None:
    documents = letters(1)
    third = replace(documents[1], id=3, title="Third")
    site, window = open_site([*documents, third])
    page = window.open(java_script_enabled=False, viewport=PHONE, color_scheme="dark")
    page.goto("/review/g1")
    page.get_by_role("link", name="Keep one, trash the rest").click()
    page.get_by_label("Third").check()
    page.get_by_role("button", name="Show what would happen").click()
    page.get_by_role("button", name="Move 1 document to the trash").click()
    expect(page.locator("#said")).to_contain_text("moved to the trash")
    library = site.office.paperless.library
    assert (set(library.documents), set(library.trash)) == ({1, 3}, {2})
    page.locator("#said").get_by_role("button", name="Undo").click()
    expect(page.locator("#said")).to_contain_text("Undone")
    assert set(library.documents) == {1, 2, 3}


def test_a_text_that_differs_stays_until_somebody_says_so(open_site, chromium) -> None:
    documents = [
        Document(1, title="One", content=LETTER),
        Document(2, title="Other", content=LETTER.replace("118,20", "754,00")),
        Document(3, title="Scan", content=RESCAN),
    ]
    site, window = open_site(documents)
    page = window.open()
    page.goto("/review/p1-2/resolve")
    expect(page.locator(".note.care")).to_contain_text("754,00")
    expect(page.get_by_role("button", name=re.compile("Move .* to the trash"))).to_have_count(0)
    page.get_by_label("Move 2 to the trash all the same").or_(
        page.get_by_label("Move 1 to the trash all the same")
    ).check()
    page.get_by_role("button", name="Move 1 document to the trash").click()
    expect(page.locator("#said")).to_contain_text("moved to the trash")
    assert len(site.office.paperless.library.trash) == 1


@any_store
def test_in_german_dates_are_written_so_and_nothing_juts_out(window, chromium):
    page = window.open(locale="de-DE")
    page.goto("/review/g1/resolve")
    row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name="Datum"))
    expect(row.get_by_role("cell").nth(1)).to_have_text("12.02.2024")
    expect(row.get_by_role("combobox").get_by_role("option").nth(2)).to_have_text("2: 19.02.2024")
    expect(page.locator("main")).not_to_contain_text("2024-02-19,")
    jutting = page.locator(".keepers .button").evaluate_all(
        "all => all.filter(it => it.getBoundingClientRect().right > it.closest('li').getBoundingClientRect().right).length"
    )
    assert jutting == 0
