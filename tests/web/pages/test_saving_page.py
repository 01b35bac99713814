"""Saving thresholds on the page, and putting them back."""

from __future__ import annotations

import re

import pytest
from browsing import DESK, PHONE
from playwright.sync_api import expect
from test_every_page import too_wide, violations
from waiting import until

CONFIG = "# The office's own words\nsimilarity_threshold = 0.750 # sure enough\n"


@pytest.fixture
def file(tmp_path):
    file = tmp_path / "settings.toml"
    file.write_text(CONFIG)
    return file


def try_out(page, name: str, percent: str) -> None:
    page.get_by_label(name, exact=True).fill(percent)
    page.get_by_role("button", name="Try").click()
    expect(page.locator("#changes")).to_be_visible()


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_a_threshold_is_tried_saved_and_put_back(any_store, open_site, chromium, file, script):
    _, window = open_site(config=str(file), **any_store)
    page = window.open(java_script_enabled=script)
    page.goto("/library")
    groups = page.locator(".tile", has_text="groups of duplicates").locator("strong")
    before = int(groups.inner_text())
    try_out(page, "Lowest match shown", "100")
    assert file.read_text() == CONFIG
    expect(page.locator("#what-if pre")).to_have_count(0)
    page.get_by_role("button", name="Save these thresholds").click()
    page.wait_for_url("**/library?done=saved#what-if")
    expect(page.locator("#said")).to_contain_text("Saved.")
    expect(page.locator("#saved")).to_contain_text("admin changed the thresholds")
    expect(page.locator("#saved")).to_contain_text("Lowest match shown 75 % → 100 %")
    expect(page.get_by_label("Lowest match shown", exact=True)).to_have_value("100")
    assert file.read_text() == CONFIG.replace("0.750", "1.0")

    def shown() -> int:
        page.goto("/library")
        return int(groups.inner_text())

    until(lambda: shown() < before, "that groups go")
    page.goto("/work")
    expect(page.locator("#log")).to_contain_text("similarity_threshold 0.75 → 1")
    page.goto("/library")
    page.get_by_role("button", name="Restore the previous thresholds").click()
    page.wait_for_url("**/library?done=back#what-if")
    assert file.read_text() == CONFIG
    expect(page.locator("#saved")).to_contain_text("Lowest match shown 100 % → 75 %")
    until(lambda: shown() == before, "the groups again")


def test_what_does_not_go_together_is_said_before_it_is_saved(open_site, chromium, file):
    _, window = open_site(config=str(file))
    page = window.open()
    page.goto("/library")
    try_out(page, "Copy, by text alone", "60")
    expect(page.locator("#cannot-save")).to_contain_text("[version] threshold is 0.75")
    expect(page.locator("#cannot-save")).to_contain_text("0.75 and 0.85 work")
    expect(page.get_by_role("button", name="Save these thresholds")).to_have_count(0)
    try_out(page, "Version, by text alone", "50")
    expect(page.locator("#what-if")).to_contain_text("everything is compared again")
    expect(page.get_by_role("button", name="Save these thresholds")).to_be_visible()
    # The file has become another one meanwhile.
    file.write_text("[near\n")
    page.get_by_role("button", name="Save these thresholds").click()
    expect(page.locator("#cannot-save")).to_contain_text("no longer valid TOML")
    expect(page.locator("#what-if pre")).to_contain_text("threshold = 0.6")
    assert file.read_text() == "[near\n"


def test_where_it_cannot_be_saved_the_lines_are_shown(open_site, chromium, file):
    _, window = open_site(config=str(file), similarity_threshold="0.7")
    page = window.open()
    page.goto("/library?similarity=50")
    expect(page.locator("#cannot-save")).to_contain_text(
        re.compile("PAPERLESS_FINGERPRINT_SIMILARITY_THRESHOLD in the environment")
    )
    expect(page.locator("#what-if pre")).to_contain_text("similarity_threshold = 0.5")
    # What counts already is nothing to save.
    page.goto("/library?similarity=70")
    expect(page.locator("#changes")).to_be_visible()
    expect(page.locator("#cannot-save, #what-if pre")).to_have_count(0)


@pytest.mark.parametrize("look", [DESK, PHONE], ids=["desk", "phone"])
def test_nothing_gets_in_the_way(open_site, chromium, file, look):
    _, window = open_site(config=str(file))
    page = window.open(viewport=look)
    page.goto("/library?similarity=50&near=80")
    expect(page.get_by_role("button", name="Save these thresholds")).to_be_visible()
    assert (violations(page), too_wide(page)) == ([], 0)
    # By keyboard alone.
    page.get_by_role("button", name="Save these thresholds").press("Enter")
    page.wait_for_url("**/library?done=saved#what-if")
    expect(page.get_by_role("button", name="Restore the previous thresholds")).to_be_visible()
    assert (violations(page), too_wide(page)) == ([], 0)


@pytest.mark.parametrize("look", [DESK, PHONE], ids=["desk", "phone"])
def test_nothing_gets_in_the_way_of_the_first_sync(open_site, chromium, look):
    _, window = open_site([], synced=False)
    page = window.open(viewport=look, signed_in=False)
    page.goto("/sign-in?back=/first-run")
    page.get_by_label("Username").fill("admin")
    page.get_by_label("Password").fill("admin")
    page.get_by_role("button", name="Sign in").press("Enter")
    expect(page.get_by_role("button", name="Start the first sync")).to_be_visible()
    assert (violations(page), too_wide(page)) == ([], 0)
    page.goto("/work")
    expect(page.locator("#first-sync")).to_be_visible()
    assert (violations(page), too_wide(page)) == ([], 0)
