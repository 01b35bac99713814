"""The list: rows and cards, keys, filters, and deciding about many at once."""

from __future__ import annotations

import re

from browsing import DESK, LOW, TALL, any_store, set_in
from playwright.sync_api import Page, expect
from waiting import until

from paperless_fingerprint.demo.library import sample_library
from paperless_fingerprint.model import Document
from paperless_fingerprint.web import filtering, pages_list

OFFLINE = "ERR_INTERNET_DISCONNECTED"


def small_pages(monkeypatch) -> None:
    for module in (filtering, pages_list):
        monkeypatch.setattr(module, "PER_PAGE", (4, 50))


def total(page: Page) -> int:
    return int(page.locator("#total").inner_text().split()[0])


def picks(page: Page):
    return page.get_by_role("checkbox", name=re.compile("^Select [gvp]"))


@any_store
def test_rows_are_low_and_cards_are_remembered(page, chromium):
    page.goto("/review")
    set_in(page, LOW)
    heights = page.locator(".group").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect().height)"
    )
    assert len(heights) > 20
    assert min(heights) >= 60
    assert max(heights) <= 72
    page.get_by_role("link", name="Cards").click()
    expect(page.locator(".group.card").first).to_be_visible()
    page.goto("/review")
    expect(page.locator(".group.card").first).to_be_visible()
    page.get_by_role("link", name="Rows").click()
    page.goto("/review")
    expect(page.locator(".rows .group").first).to_be_visible()


@any_store
def test_the_bar_is_there_when_something_is_ticked(page, chromium):
    page.goto("/review")
    bar = page.get_by_role("group", name="Decide on several")
    expect(bar).to_be_hidden()
    picks(page).nth(1).check()
    expect(bar).to_be_visible()
    expect(bar).to_contain_text("1 selected")
    picks(page).nth(1).uncheck()
    expect(bar).to_be_hidden()


@any_store
def test_the_bar_needs_no_script(window, chromium):
    page = window.open(java_script_enabled=False)
    page.goto("/review?relation=exact")
    bar = page.get_by_role("group", name="Decide on several")
    expect(bar).to_be_hidden()
    picks(page).first.check()
    bar.get_by_role("button", name="Preview").click()
    expect(page.locator("#says")).to_contain_text("1 entry")


@any_store
def test_one_goes_along_the_list_with_keys_and_comes_back_to_where_one_was(page, chromium):
    page.goto("/review?sort=title&relation=near")
    rows = page.locator("[data-row]")
    page.keyboard.press("j")
    expect(rows.first).to_be_focused()
    page.keyboard.press("j")
    page.keyboard.press("x")
    expect(picks(page).nth(1)).to_be_checked()
    page.keyboard.press("j")
    page.keyboard.press("k")
    expect(rows.nth(1)).to_be_focused()
    page.keyboard.press("x")
    expect(picks(page).nth(1)).not_to_be_checked()
    page.keyboard.press("a")
    expect(page.locator("[data-picked]")).to_have_text(f"{rows.count()} selected")
    page.keyboard.press("a")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_contain_text(
        "Select the entry"
    )
    page.keyboard.press("Escape")
    page.keyboard.press("k")
    page.keyboard.press("j")
    name = page.evaluate("document.activeElement.textContent.trim()")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/review/g\d+\?relation=near&sort=title"))
    expect(page.locator("h1 bdi")).to_have_text(name)
    page.keyboard.press("l")
    page.wait_for_url(re.compile(r"/review\?relation=near&sort=title#g\d+"))
    expect(rows.nth(1)).to_be_focused()


@any_store
def test_all_that_match_are_decided_at_once_and_taken_back_at_once(page, chromium, monkeypatch):
    small_pages(monkeypatch)
    page.goto("/review?relation=near&per_page=4")
    count = total(page)
    assert count > 4
    page.get_by_label("All on this page").check()
    expect(page.locator("[data-picked]")).to_have_text("4 selected")
    page.get_by_label(f"Select all {count} that match").check()
    expect(page.locator("[data-picked]")).to_have_text(f"{count} selected")
    picks(page).nth(2).uncheck()
    expect(page.locator("[data-picked]")).to_have_text(f"{count - 1} selected")
    left_out = page.locator("[data-row]").nth(2).inner_text()
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#says")).to_contain_text(f"{count - 1} entries")
    page.get_by_role("button", name=f"Save {count - 1} decisions").click()
    expect(page.locator("#said")).to_contain_text(f"{count - 1} entries confirmed")
    # Where one was, with the filter.
    assert "relation=near" in page.url
    assert "per_page=4" in page.url

    def rows() -> list[str]:
        page.goto("/review?relation=near&per_page=4")
        return page.locator("[data-row]").all_inner_texts()

    # They are carried out one by one; what waits is shown till then.
    until(lambda: rows() == [left_out], "what was left out")
    # One line for all of them, and one step back.
    page.goto("/decisions")
    expect(page.get_by_role("row").nth(1)).to_contain_text(f"{count - 1} entries")
    page.goto("/review?relation=near&per_page=4")
    page.keyboard.press("u")
    expect(page.locator("#said")).to_contain_text(f"{count - 1} entries")
    assert "relation=near" in page.url
    until(lambda: rows() and total(page) == count, "all of them")


@any_store
def test_what_has_changed_since_the_preview_is_looked_at_again(window, chromium, monkeypatch):
    small_pages(monkeypatch)
    one, other = window.open(), window.open()
    one.goto("/review?relation=near&per_page=4")
    count = total(one)
    picks(one).first.check()
    one.get_by_label("that match").check()
    one.get_by_role("button", name="Preview").click()
    other.goto("/review?relation=near")
    other.locator("[data-row]").first.click()
    other.wait_for_url("**/review/g*")
    other.keyboard.press("s")
    expect(other.locator("#said")).to_contain_text("Confirmed")
    one.get_by_role("button", name=f"Save {count} decisions").click()
    expect(one.locator("main")).to_contain_text("The list has changed since you looked")
    expect(one.locator("#says")).to_contain_text(f"{count - 1} entries")
    other.keyboard.press("u")
    expect(other.locator("#said")).to_contain_text("Undone")


@any_store
def test_undo_goes_further_and_further_back_and_keeps_the_filter(page, chromium):
    page.goto("/review?relation=near&sort=title")
    count = total(page)
    page.locator("[data-row]").first.click()
    page.wait_for_url("**/review/g*")
    names = []
    for _ in range(3):
        names.append(page.locator("h1 bdi").inner_text())
        page.keyboard.press("s")
        expect(page.locator("h1 bdi")).not_to_have_text(names[-1])
    for name in reversed(names):
        page.keyboard.press("u")
        expect(page.locator("h1 bdi")).to_have_text(name)
        assert "relation=near&sort=title" in page.url
    page.keyboard.press("l")
    expect(page.locator("#total")).to_have_text(f"{count} entries")


@any_store
def test_an_act_that_fails_is_seen(page, window, chromium):
    window.expected += (OFFLINE,)
    page.goto("/review/g1")
    name = page.locator("h1 bdi").inner_text()
    page.context.set_offline(True)
    page.keyboard.press("s")
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.get_by_role("alert")).to_be_in_viewport()
    expect(page.locator("h1 bdi")).to_have_text(name)
    page.context.set_offline(False)
    page.keyboard.press("n")
    expect(page.get_by_role("alert")).to_have_count(0)


@any_store
def test_filters_narrow_and_stay_in_the_address(page, chromium):
    page.goto("/review")
    count = total(page)
    page.get_by_label("Text in the list").fill("bank")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=bank**")
    assert 0 < total(page) < count
    page.get_by_label("Order").select_option("newest")
    page.wait_for_url("**sort=newest**")
    expect(page.get_by_label("Text in the list")).to_have_value("bank")
    page.get_by_text("Filter (1)").click()
    page.get_by_text("Filter (1)").click()
    page.get_by_label("Match from").fill("100")
    page.get_by_role("button", name="Filter", exact=True).click()
    page.wait_for_url("**sure=100**")
    assert "q=bank" in page.url
    expect(page.locator("#filters")).to_contain_text("Filter (2)")
    page.get_by_role("link", name="Clear").click()
    expect(page.locator("#total")).to_have_text(f"{count} entries")
    assert "sort=newest" in page.url


@any_store
def test_a_preview_of_many_is_no_higher_than_two_windows(page, chromium):
    page.goto("/review")
    page.get_by_label("All on this page").check()
    page.get_by_label("Decision", exact=True).select_option("different")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("heading", name="Check before you save")).to_be_visible()
    assert page.get_by_role("row").count() > 15
    assert page.evaluate("document.documentElement.scrollHeight") < 2 * DESK["height"]
    # What is not shown is reached by keyboard, too.
    expect(
        page.get_by_role("region", name="Changes in Paperless").locator("[tabindex]")
    ).to_have_count(1)


@any_store
def test_of_too_many_examples_are_shown_when_asked_for(page, chromium, monkeypatch):
    monkeypatch.setattr(pages_list, "MOST_PREVIEWED", 3)
    monkeypatch.setattr(pages_list, "_EXAMPLES", 2)
    page.goto("/review?relation=exact")
    count = total(page)
    assert count > 3
    page.get_by_label("All on this page").check()
    page.get_by_label("Decision", exact=True).select_option("different")
    page.get_by_role("button", name="Preview").click()
    changes = page.get_by_role("region", name="Changes in Paperless").first
    expect(changes).to_contain_text("too many")
    expect(changes.get_by_role("row")).to_have_count(0)
    changes.get_by_role("button", name="Show examples").click()
    expect(changes).to_contain_text("the first 2 of them")
    expect(changes.get_by_role("row").nth(1)).to_contain_text("Duplicate (exact)")
    # What was chosen is still chosen.
    expect(page.get_by_role("button", name=f"Save {count} decisions")).to_be_visible()


def copies(count: int) -> list[Document]:
    """One letter, scanned again and again."""
    first = sample_library()[0]
    return [
        Document(
            id, f"{first.title}, for the {id}th time scanned", first.content,
            created="2024-03-05", added=f"2024-04-01T00:00:{id:02d}Z",
        )
        for id in range(1, count + 1)
    ]  # fmt: skip


def test_what_is_said_of_many_pairs_at_once_is_told_once(open_site, chromium):
    _, window = open_site(copies(6))
    page = window.open()
    until(lambda: page.goto("/review/g1").ok, "the group")
    page.keyboard.press("s")
    expect(page.locator("#said")).to_contain_text("Confirmed")
    page.goto("/review/g1")
    expect(page.locator(".note", has_text="Confirmed.")).to_have_count(1)
    assert page.locator("main").inner_text().count("confirmed · admin") == 1
    page.goto("/review?state=done")
    assert page.locator(".group").inner_text().count("confirmed · admin") == 1


OVERLAPS = """all => {
    const boxes = all.map(one => one.getBoundingClientRect());
    const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    return boxes.flatMap((a, i) => boxes.slice(i + 1).filter(b => meet(a, b))).length;
}"""
OUTSIDE = """all => {
    const frame = document.querySelector(".graph").getBoundingClientRect();
    return all.map(one => one.getBoundingClientRect())
        .filter(box => box.left < frame.left - 2 || box.right > frame.right + 2).length;
}"""


def test_thirty_neighbours_can_be_read(open_site, chromium):
    _, window = open_site(copies(31))
    page = window.open()
    until(lambda: page.goto("/documents/7").ok, "the library")
    names = page.locator(".graph .name")
    expect(names).to_have_count(30)
    for letters in (LOW, TALL):
        set_in(page, letters)
        assert names.evaluate_all(OVERLAPS) == 0
        assert names.evaluate_all(OUTSIDE) == 0
        assert page.locator(".graph circle").evaluate_all(OVERLAPS) == 0
    # The same as a list, beside it and open.
    expect(page.locator("#nearby tbody tr")).to_have_count(30)
    expect(page.locator("#nearby")).to_be_in_viewport()


@any_store
def test_what_was_found_is_led_to_from_activity(page, chromium):
    page.goto("/review")
    count = total(page)
    page.goto("/work")
    expect(page.locator("#found")).to_contain_text(f"{count} entries to review")
    page.locator("#found").get_by_role("link").click()
    page.wait_for_url("**/review")
