"""Searching, and walking from document to document."""

from __future__ import annotations

import re

from browsing import any_store
from playwright.sync_api import expect


def ids(page) -> list[int]:
    return [int(re.search(r"ID (\d+)", text)[1]) for text in page.locator(".hit").all_inner_texts()]


def test_fingerprint(page, chromium, site):
    page.goto("/search")
    page.get_by_label("Query").fill("FINGERPRINT:12_20")
    page.get_by_role("button", name="Search", exact=True).click()
    expect(page.locator("#total")).to_have_text("3 documents")
    with site.office.open() as place:
        assert set(ids(page)) <= set(place.store.ids())
    first = page.locator(".hit").first
    expect(first).to_contain_text("of the source")
    assert re.search(r"\d+ %", first.inner_text())
    link = first.get_by_role("heading").get_by_role("link")
    other = ids(page)[0]
    assert link.get_attribute("href") == f"/review/p{min(12, other)}-{max(12, other)}"
    beside = first.get_by_role("link", name="Open in Paperless")
    assert beside.get_attribute("href").startswith(f"{site.office.paperless.url}/documents/")
    expect(first.locator(".passages")).to_contain_text("words in common")
    expect(first.locator(".passages mark").first).to_be_visible()
    link.click()
    expect(page.locator(".doc")).to_have_count(2)


def test_found_words_are_marked_as_they_stand(page, chromium):
    page.goto("/search?q=KESTREL")
    marks = page.locator(".hit mark")
    expect(marks.first).to_have_text("Kestrel")
    assert {text.lower() for text in marks.all_inner_texts()} == {"kestrel"}
    page.locator(".hit").first.get_by_role("heading").get_by_role("link").click()
    page.wait_for_url(re.compile(r"/(review|documents)/"))


@any_store
def test_a_miss_offers_other_words(page, chromium):
    page.goto("/search?q=title:estrel OR kestrell")
    expect(page.locator("#total")).to_have_text("0 documents")
    offers = page.locator(".offers")
    expect(offers).to_have_count(2)
    expect(offers.last).to_contain_text("Did you mean")
    offers.last.get_by_role("link", name="kestrel", exact=True).click()
    expect(page.get_by_label("Query")).to_have_value("title:estrel OR kestrel")
    expect(page.locator(".hit").first).to_contain_text("Kestrel")


@any_store
def test_ones_own_searches_are_kept_in_the_browser_alone(page, chromium):
    page.goto("/search")
    past = page.locator("#past")
    expect(past).to_be_hidden()
    page.goto("/search?q=kestrel")
    page.goto("/search?q=%22<b>invoice%22")
    page.goto("/search")
    expect(past.get_by_role("link")).to_have_text(['"<b>invoice"', "kestrel"])
    past.get_by_role("link", name="kestrel").click()
    expect(page.get_by_label("Query")).to_have_value("kestrel")
    page.goto("/search?q=invoice AND (")
    page.goto("/search")
    expect(past.get_by_role("link")).to_have_text(["kestrel", '"<b>invoice"'])
    page.get_by_role("button", name="Forget them").click()
    expect(past).to_be_hidden()
    page.reload()
    expect(past).to_be_hidden()
    page.goto("/search?q=kestrel")
    assert page.evaluate("localStorage.length") == 1
    # As signing out does it, without ending the session of the other tests.
    page.evaluate(
        """document.querySelector('form[action$="/sign-out"]')
           .dispatchEvent(new Event("submit", {bubbles: true}))"""
    )
    assert page.evaluate("localStorage.length") == 0


def test_words_help_and_explain(page, chromium):
    page.goto("/search")
    help = page.locator("#help")
    expect(help).to_contain_text("at least 20 % of the text of document 12")
    help.get_by_role("link", name="FINGERPRINT:12_20_80").click()
    expect(page.get_by_label("Query")).to_have_value("FINGERPRINT:12_20_80")
    page.get_by_label("Show how the search works").check()
    page.get_by_role("button", name="Search", exact=True).click()
    expect(page.get_by_role("region", name="How the search works")).to_contain_text("overlap")


@any_store
def test_a_mistake_is_pointed_at(page, chromium):
    page.goto("/search?q=invoice AND (")
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.get_by_role("alert").locator("mark")).to_have_count(1)
    expect(page.get_by_label("Query")).to_have_value("invoice AND (")


def test_the_bar_searches_from_everywhere(page, chromium):
    page.goto("/library")
    page.get_by_role("searchbox").fill("kestrel")
    page.keyboard.press("Enter")
    expect(page.locator(".hit").first).to_contain_text("Kestrel")
    # Older versions are folded behind the latest.
    fold = page.locator(".hit details").first
    fold.locator("summary").click()
    expect(fold).to_contain_text("Apr 17, 2024")


def test_the_graph_is_walked_with_the_keyboard(page, chromium):
    page.goto("/documents/9?wide=1")
    expect(page.locator(".graph a")).to_have_count(4)
    here = page.get_by_role("link", name=re.compile("you are here"))
    here.focus()
    page.keyboard.press("ArrowRight")
    expect(here).not_to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(here).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/documents/(?!9\b)\d+\?wide=1"))
    expect(page.get_by_role("link", name=re.compile("you are here"))).to_have_count(1)


@any_store
def test_the_graph_is_a_list_too(page, chromium):
    page.goto("/documents/3")
    row = page.get_by_role("row", name=re.compile("Re-scan or copy"))
    row.get_by_role("link", name="Re-scan or copy").click()
    page.wait_for_url("**/review/p3-5")
    expect(page.locator(".doc")).to_have_count(2)


def test_versions_stand_in_a_line_of_time(page, chromium):
    page.goto("/documents/23")
    steps = page.locator(".time > li")
    expect(steps).to_have_count(2)
    expect(steps.first).to_contain_text("you are here")
    expect(steps.last).to_contain_text("latest")
    expect(steps.last).to_contain_text("790.00 / 754.00")
    steps.last.locator("summary").click()
    expect(steps.last.locator(".change").first).to_be_visible()


def test_thresholds_are_tried_before_anything_is_saved(page, chromium):
    page.goto("/library")
    expect(page.get_by_role("img", name="Pairs by match")).to_be_visible()
    page.get_by_label("Lowest match shown").fill("95")
    page.get_by_role("button", name="Try").click()
    expect(page.locator("#changes")).to_contain_text(
        re.compile(r"Pairs added: 0, removed: [1-9]\d*")
    )
    expect(page.locator("#what-if")).to_contain_text("similarity_threshold = 0.95")
    page.goto("/library")
    expect(page.get_by_label("Lowest match shown")).to_have_value("75")
