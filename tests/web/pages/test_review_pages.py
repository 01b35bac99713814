"""Looking at what was found and deciding about it, in a real browser."""

from __future__ import annotations

import re

import pytest
from browsing import any_store, sign_in
from playwright.sync_api import Page, expect

LIVE = "#live"


def first_group(page: Page) -> str:
    """Opens the first group of the list; gives its heading."""
    page.goto("/review?relation=near")
    page.locator("[data-row]").first.click()
    page.wait_for_url("**/review/g*")
    return page.locator("h1 bdi").inner_text()


def entries(page: Page, state: str) -> int:
    page.goto(f"/review?state={state}")
    return int(page.locator("#total").inner_text().split()[0].replace(",", ""))


def test_signing_in_and_out(window, chromium):
    page = window.open(signed_in=False)
    page.goto("/review?relation=near")
    page.wait_for_url("**/sign-in?back=*")
    page.get_by_label("Username").fill("admin")
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("did not sign you in")
    assert page.get_by_label("Username").input_value() == "admin"
    assert page.get_by_label("Password").input_value() == ""
    page.get_by_label("Password").fill("admin")
    page.get_by_role("button", name="Sign in").click()
    # Where one wanted to go in the first place.
    page.wait_for_url("**/review?relation=near")
    session = next(c for c in page.context.cookies() if c["name"] != "pf_theme")
    assert session["httpOnly"]
    assert session["sameSite"] in {"Lax", "Strict"}
    assert "token" not in page.content().lower().replace("csrftoken", "")
    page.locator(".bar .menu summary").click()
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/sign-in")
    page.goto("/review")
    page.wait_for_url("**/sign-in?back=*")


@any_store
def test_signing_in_leads_nowhere_else(window, chromium):
    page = window.open(signed_in=False)
    for back in ("https://example.org/", "//example.org/", "/\\example.org", "javascript:alert(1)"):
        page.goto(f"/sign-in?back={back}")
        assert page.locator("input[name=back]").input_value() == "/"


def test_a_group_is_reviewed_with_the_keyboard(page, chromium):
    waiting, done = entries(page, "open"), entries(page, "done")
    name = first_group(page)
    address = page.url
    page.keyboard.press("s")
    expect(page.locator(LIVE)).to_contain_text("are the same")
    expect(page.locator("#said")).to_contain_text("Confirmed")
    # The next entry is there at once.
    expect(page.locator("h1 bdi")).not_to_have_text(name)
    page.keyboard.press("u")
    expect(page.locator(LIVE)).to_contain_text("Undone")
    expect(page).to_have_url(re.compile(re.escape(address.partition("?")[0])))
    expect(page.locator("h1 bdi")).to_have_text(name)
    assert (entries(page, "open"), entries(page, "done")) == (waiting, done)


def test_different_is_remembered_and_undone(page, chromium):
    told_apart = entries(page, "dismissed")
    first_group(page)
    page.keyboard.press("d")
    expect(page.locator(LIVE)).to_contain_text("are different")
    page.goto("/review?state=dismissed")
    expect(page.locator("#total")).to_contain_text(str(told_apart + 1))
    # From another page, too, the last word can be taken back.
    page.goto("/decisions")
    page.get_by_role("button", name=re.compile("Undo 'different'")).first.click()
    expect(page.locator("#said")).to_contain_text("Undone")
    assert entries(page, "dismissed") == told_apart


def test_the_one_to_keep_is_chosen_with_a_key(page, chromium):
    first_group(page)
    kept = page.locator(".doc.kept")
    before = kept.get_attribute("aria-label")
    side = "2" if page.locator(".doc").first.get_attribute("aria-label") == before else "1"
    page.keyboard.press(side)
    expect(page.locator(LIVE)).to_contain_text("Keep: ")
    expect(kept).not_to_have_attribute("aria-label", before)
    page.keyboard.press("u")
    expect(kept).to_have_attribute("aria-label", before)


@any_store
def test_keys_walk_and_are_listed(page, chromium):
    name = first_group(page)
    page.keyboard.press("n")
    expect(page.locator("h1 bdi")).not_to_have_text(name)
    page.keyboard.press("ArrowLeft")
    expect(page.locator("h1 bdi")).to_have_text(name)
    page.keyboard.press("?")
    overlay = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(overlay).to_be_visible()
    # What single keys do can be switched off; the list of keys stays.
    overlay.get_by_label("Use keyboard shortcuts").uncheck()
    page.keyboard.press("Escape")
    expect(overlay).to_be_hidden()
    page.keyboard.press("s")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    expect(page.locator("#said")).to_have_count(0)
    page.get_by_label("Use keyboard shortcuts").check()
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    # Letters that are typed are letters.
    page.keyboard.type("sdu")
    expect(page.get_by_role("searchbox")).to_have_value("sdu")
    expect(page.locator("#said")).to_have_count(0)


def test_several_are_decided_after_a_preview(page, chromium):
    waiting = entries(page, "open")
    page.goto("/review?relation=exact")
    for box in page.get_by_role("checkbox", name=re.compile("Select")).all()[:2]:
        box.check()
    expect(page.locator("[data-picked]")).to_have_text("2 selected")
    page.get_by_label("Decision", exact=True).select_option("different")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("heading", name="Check before you save")).to_be_visible()
    expect(page.locator("main")).to_contain_text("Duplicate (exact)")
    # Looking changes nothing.
    page.go_back()
    assert entries(page, "open") == waiting
    page.goto("/review?relation=exact")
    for box in page.get_by_role("checkbox", name=re.compile("Select")).all()[:2]:
        box.check()
    page.get_by_label("Decision", exact=True).select_option("different")
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("button", name="Save 2 decisions").click()
    expect(page.locator("#said")).to_contain_text("2 entries marked as not duplicates")
    page.goto("/review")
    expect(page.locator("#total")).to_contain_text(str(waiting - 2))
    # What was decided at once is one decision.
    page.goto("/decisions")
    page.get_by_role("button", name=re.compile("Undo 'different'")).first.click()
    expect(page.locator("#said")).to_contain_text("2 entries")
    assert entries(page, "open") == waiting


def test_the_second_sees_what_the_first_did(window, chromium):
    one, other = window.open(), window.open()
    first_group(one)
    other.goto(one.url)
    one.keyboard.press("s")
    expect(one.locator(LIVE)).to_contain_text("are the same")
    other.keyboard.press("d")
    expect(
        other.get_by_role("heading", name="Someone else has already decided this")
    ).to_be_visible()
    expect(other.locator("main")).to_contain_text("confirmed these")
    expect(other.locator(LIVE)).to_contain_text("confirmed these")
    one.keyboard.press("u")
    expect(one.locator(LIVE)).to_contain_text("Undone")


@any_store
def test_everything_works_without_script(window, chromium):
    page = window.open(java_script_enabled=False)
    first_group(page)
    address = page.url
    page.get_by_role("button", name=re.compile("^Different")).click()
    expect(page.locator("#said")).to_contain_text("are different")
    page.locator("#said").get_by_role("button", name="Undo").click()
    expect(page.locator("#said")).to_contain_text("Undone")
    expect(page).to_have_url(re.compile(re.escape(address.partition("?")[0])))
    page.get_by_role("link", name="Next entry").click()
    expect(page.get_by_role("heading", name="Text differences")).to_be_visible()


@any_store
def test_filters_are_kept_from_entry_to_entry(page, chromium):
    page.goto("/review")
    page.locator("#filters summary").click()
    page.get_by_label("Kind of match").select_option("contains")
    page.get_by_role("button", name="Filter", exact=True).click()
    page.wait_for_url("**relation=contains**")
    count = page.locator("[data-row]").count()
    assert count > 1
    page.locator("[data-row]").first.click()
    expect(page.locator(".head")).to_contain_text(f"1 of {count}")
    page.keyboard.press("n")
    expect(page.locator(".head")).to_contain_text(f"2 of {count}")
    page.keyboard.press("l")
    page.wait_for_url("**relation=contains**")


def test_what_differs_is_marked_in_words(page, chromium):
    page.goto("/review?relation=version")
    page.get_by_role("link", name=re.compile("Kestrel")).first.click()
    left, right = (page.locator(f".two.changed > :nth-child({side})") for side in (1, 2))
    line = left.filter(has_text="Subtotal")
    expect(line.locator("del")).to_contain_text("790.00")
    expect(line.locator(".tag")).to_have_text("amount")
    expect(right.filter(has_text="Subtotal").locator("ins")).to_contain_text("754.00")
    # What somebody wrote is no noise, however small it is.
    expect(left.locator(".change del", has_text=re.compile("on the left only: 3$"))).to_be_visible()
    expect(right.locator(".change ins", has_text="corrected on 24 April")).to_be_visible()
    expect(page.locator(".diff .noise:not(.key *)")).to_have_count(0)


@any_store
def test_texts_stand_side_by_side_or_in_one_column(page, chromium):
    page.goto("/review/p23-24")
    texts = page.get_by_role("region", name="Text differences")
    expect(texts.locator(".two.changed")).not_to_have_count(0)
    page.keyboard.press("t")
    expect(texts.locator(".two")).to_have_count(0)
    line = texts.locator(".changed", has_text="Subtotal")
    expect(line).to_contain_text("790.00")
    expect(line).to_contain_text("754.00")
    # It stays so.
    page.goto("/review/p1-2")
    expect(texts.locator(".two")).to_have_count(0)
    page.keyboard.press("t")
    expect(texts.locator(".two.changed")).not_to_have_count(0)


@any_store
def test_unchanged_lines_are_shown_when_asked_for(page, chromium):
    page.goto("/review/p23-24")
    hidden = page.get_by_text("web licence, one year").first
    folded = page.locator("summary", has_text=re.compile("Show [0-9]+ unchanged lines")).first
    address = page.locator(".diff").get_by_text("79104 Freiburg, Germany").first
    expect(hidden).to_be_visible()
    expect(address).to_be_hidden()
    folded.focus()
    page.keyboard.press("Enter")
    expect(address).to_be_visible()


@any_store
@pytest.mark.parametrize("path", ["/nothing", "/review/g999", "/review/p1-1", "/documents/99999"])
def test_what_is_not_there_is_said(page, chromium, path):
    answer = page.goto(path)
    assert answer.status == 404
    expect(page.get_by_role("heading", name="Page not found")).to_be_visible()
    page.get_by_role("link", name="Back to duplicates").click()
    page.wait_for_url("**/review")


@any_store
def test_a_forged_form_is_refused(page, chromium):
    first_group(page)
    page.locator("input[name=csrf]").evaluate_all("all => all.forEach(one => one.value = 'x')")
    page.evaluate("document.querySelectorAll('[data-swap]').forEach(f => delete f.dataset.swap)")
    page.get_by_role("button", name=re.compile("^Same")).click()
    expect(page.get_by_role("heading", name="Not allowed")).to_be_visible()


@any_store
def test_a_session_of_yesterday(window, chromium):
    page = window.open()
    first_group(page)
    kept = next(c for c in page.context.cookies() if c["name"] != "pf_theme")
    page.context.add_cookies([{**kept, "value": "of-yesterday"}])
    page.keyboard.press("s")
    expect(page.get_by_role("alert")).to_contain_text("session has ended")
    page.get_by_label("Username").fill("admin")
    page.get_by_label("Password").fill("admin")
    page.get_by_role("button", name="Sign in").click()
    # Back to where one was.
    page.wait_for_url("**/review/g*")
    expect(page.locator("#said")).to_have_count(0)


@any_store
def test_who_may_only_look_is_told_so(window, chromium, site):
    people = site.office.paperless.library.people
    people.add_user("reader", "reads", permissions=["view_document"])
    page = window.open(signed_in=False)
    sign_in(page, "reader", "reads")
    page.goto("/review/g1")
    expect(page.locator("main")).to_contain_text("but not change them")
    expect(page.get_by_role("button", name=re.compile("^(Same|Different)"))).to_have_count(0)
    page.goto("/work")
    expect(page.locator("#progress")).not_to_contain_text("documents waiting")
    page.goto("/first-run")
    # Checks name addresses and paths.
    assert "127.0.0.1" not in page.locator("main").inner_text()
    page.goto("/library")
    expect(page.locator("main")).to_contain_text("the documents that you are allowed to see")
    page.goto("/search?q=FINGERPRINT:12_20&explain=1")
    expect(page.get_by_role("region", name="How the search works")).not_to_contain_text('"request"')


@any_store
def test_a_link_to_paperless_leads_to_the_document(page, chromium):
    page.goto("/review/p23-24")
    with page.expect_popup() as opened:
        page.locator(".doc a[rel=noreferrer]").first.click()
    expect(opened.value.get_by_role("heading", level=1)).to_contain_text("Kestrel")
