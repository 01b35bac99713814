"""A library without Paperless on the page: all of it can be looked at, and nothing is broken."""

from __future__ import annotations

import pytest
from browsing import PHONE, Site, Window
from playwright.sync_api import expect
from test_every_page import too_wide, violations

from paperless_fingerprint.demo.library import sample_library
from paperless_fingerprint.demo.run import page_open
from paperless_fingerprint.library.analysis import analyse
from paperless_fingerprint.library.intake import take_in
from paperless_fingerprint.progress import Silent
from paperless_fingerprint.settings.loading import load
from paperless_fingerprint.stores.opening import open_store


@pytest.fixture
def window(tmp_path, chromium):
    settings = load(environment={"PAPERLESS_FINGERPRINT_STORE": f"sqlite:///{tmp_path}/library.db"})
    store = open_store(settings)
    take_in(store, sample_library()[:30], settings.spec())
    analyse(store, settings, Silent())
    store.close()
    with page_open(settings) as url:
        window = Window(Site(url, None), chromium)
        yield window
        chromium.run(window.close)


def test_it_is_listed_compared_and_searched_and_says_why_nothing_changes(window, chromium):
    page = window.open(signed_in=False)
    page.goto("/")
    expect(page.locator("#read-only")).to_contain_text("shown without Paperless")
    page.locator(".group a").first.click()
    expect(page.locator(".doc")).to_have_count(2)
    expect(page.get_by_role("button", name="Confirm")).to_have_count(0)
    page.goto("/search?q=FINGERPRINT:12_20")
    expect(page.locator(".passages mark").first).to_be_visible()
    expect(page.get_by_role("link", name="Open in Paperless")).to_have_count(0)
    page.locator(".hit").first.get_by_role("heading").get_by_role("link").click()
    expect(page.locator(".doc")).to_have_count(2)


def test_nothing_gets_in_the_way(window, chromium):
    page = window.open(signed_in=False, viewport=PHONE, color_scheme="dark")
    found = {}
    for path in ("/review", "/review/p3-5", "/search?q=kestrel", "/uncompared", "/documents/12",
                 "/library", "/work", "/first-run", "/decisions"):  # fmt: skip
        page.goto(path)
        found[path] = violations(page), too_wide(page)
    assert found == dict.fromkeys(found, ([], 0))
