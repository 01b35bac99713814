"""The first steps, work in progress, failures, and what is seen while something is away."""

from __future__ import annotations

import re
import threading

import pytest
from playwright.sync_api import expect
from waiting import until

from paperless_fingerprint.demo.stand_in import Fault
from paperless_fingerprint.errors import StoreError
from paperless_fingerprint.integration.context import open_workplace
from paperless_fingerprint.integration.feedback.tell import take_back_all
from paperless_fingerprint.review import library_view

#: The request that fetches documents with their texts.
_FETCH = "%2Ccontent%2C"


def test_a_first_sync_is_watched_live(any_store, open_site, chromium):
    gate = threading.Event()

    def hold(office):
        office.paperless.faults._sleep = lambda _seconds: gate.wait(60)
        office.paperless.faults.next(Fault.SLOW, path=_FETCH)

    _, window = open_site(synced=False, before=hold, **any_store)
    try:
        page = window.open(signed_in=False)
        page.goto("/")
        page.get_by_label("Username").fill("admin")
        page.get_by_label("Password").fill("admin")
        page.get_by_role("button", name="Sign in").click()
        # Nothing is there yet: the first steps come first.
        page.wait_for_url("**/first-run")
        expect(page.get_by_role("row", name=re.compile("Paperless-ngx"))).not_to_have_count(0)
        main = page.locator("main")
        expect(main).to_contain_text("Nothing is written to Paperless.")
        expect(main).to_contain_text("There are about 66 documents.")
        page.goto("/work")
        expect(page.locator("#first-sync")).to_contain_text("have not been read yet")
        page.locator("#first-sync").get_by_role("link", name="First steps").click()
        page.get_by_role("button", name="Start the first sync").click()
        page.wait_for_url("**/work?started=1")
        expect(page.locator("#doing")).to_have_text("Fetching documents from Paperless")
        expect(page.locator("#progress")).to_contain_text("Step 1 of 4 · 0 of 66")
        expect(page.locator("#first-sync")).to_have_count(0)
        page.goto("/first-run")
        expect(page.locator("main")).to_contain_text("The first sync is running")
        page.get_by_role("link", name="Show progress").click()
        page.wait_for_url("**/work")
        page.evaluate("window.isTheSamePage = true")
    finally:
        gate.set()
    expect(page.locator("#doing")).to_have_text("Idle", timeout=60_000)
    expect(page.locator(".tile", has_text="last sync")).to_contain_text(re.compile(r"\d{4}"))
    expect(page.locator("#found")).to_contain_text(re.compile(r"[1-9]\d* entries to review"))
    assert page.evaluate("window.isTheSamePage")

    def shown() -> int:
        page.goto("/review")
        return page.locator("[data-row]").count()

    # The page looks at the library once a second.
    until(shown, "the list")
    page.goto("/first-run")
    expect(page.locator("main")).to_contain_text("66 documents have been read from Paperless")


def test_all_labels_are_written_when_somebody_asks(open_site, chromium):
    def take_back(office):
        with open_workplace(office.settings) as place, place.lock.held():
            take_back_all(place)

    site, window = open_site(before=take_back)
    library = site.office.paperless.library
    page = window.open()
    page.goto("/first-run")
    labels = page.get_by_role("region", name="Tags and links in Paperless")
    expect(labels).to_contain_text("have been removed, and none are written")
    expect(labels.locator("#would-add")).to_contain_text("the tag for re-scans and copies")
    assert not library.views
    labels.get_by_role("button", name="Write everything to Paperless").click()
    expect(labels).to_contain_text("written for everything found")
    until(lambda: library.views, "the labels")


def test_news_that_come_while_the_last_are_fetched_are_not_lost(open_site, chromium):
    _, window = open_site([], synced=False)
    page = window.open()
    told = "".join(f'event: progress\ndata: {{"version": "{version}"}}\n\n' for version in "ab")
    # Both at once, and the connection does not come again to tell it once more.
    page.route(
        "**/api/events",
        lambda route: route.fulfill(
            content_type="text/event-stream", body=f"retry: 600000\n\n{told}"
        ),
    )
    answers = iter(("of the first", "of the second"))
    page.route(
        "**/work/now",
        lambda route: route.fulfill(
            content_type="text/html", body=f"<h2 id=doing>{next(answers)}</h2>"
        ),
    )
    page.goto("/work")
    expect(page.locator("#doing")).to_have_text("of the second")


def test_failures_are_shown_and_tried_again(any_store, open_site, chromium):
    site, window = open_site(inbox_tries="1", **any_store)
    page = window.open()
    page.goto("/work")
    expect(page.locator("#progress")).to_contain_text("Everything is working.")
    site.office.paperless.faults.next(Fault.HTML, 50, path=f"{_FETCH}")
    with site.office.open() as place:
        place.inbox.add([12])
    page.goto("/work")
    expect(page.get_by_role("row", name=re.compile("12 Scan"))).to_contain_text("stopped retrying")
    site.office.paperless.faults.clear()
    page.get_by_role("button", name="Try document 12 again").click()
    expect(page.locator("#said")).to_contain_text("Trying 1 document again.")
    expect(page.get_by_role("heading", name="Failed documents")).to_have_count(0)


def test_what_is_stored_is_seen_while_paperless_is_away(open_site, chromium):
    site, window = open_site(paperless_sync_seconds="1")
    page = window.open()
    page.goto("/review")
    window.expected += ("/thumb/",)
    site.office.paperless.faults.by_chance(1.0, Fault.UNAVAILABLE)
    page.goto("/work")
    expect(page.locator("#progress")).to_contain_text("Something cannot be reached", timeout=30_000)
    page.goto("/review?relation=near")
    expect(page.locator("#trouble")).to_contain_text("what you decide is saved")
    page.locator("[data-row]").first.click()
    expect(page.get_by_role("group", name="Decide", exact=True)).to_be_visible()
    # Decisions are taken all the same.
    page.keyboard.press("s")
    expect(page.locator("#live")).to_contain_text("are the same")
    site.office.paperless.faults.clear()


def test_who_tries_too_often_waits(open_site, chromium):
    _, window = open_site([], synced=False)
    page = window.open(signed_in=False)
    page.goto("/sign-in")
    for _ in range(11):
        page.get_by_label("Username").fill("somebody")
        page.get_by_label("Password").fill("guessed")
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("alert")).to_be_visible()
    expect(page.get_by_role("alert")).to_contain_text("Too many attempts")


@pytest.mark.parametrize(
    ("error", "heading"),
    [
        (RuntimeError("a secret of the program"), "Something went wrong"),
        (StoreError("http://elastic:secret@store:9200 is away"), "Something cannot be reached"),
    ],
)
def test_what_goes_wrong_here_is_said_without_secrets(
    open_site, chromium, monkeypatch, error, heading
):
    _, window = open_site([], synced=False)
    page = window.open()
    window.expected += ("status of 50",)

    def broken(*_arguments):
        raise error

    monkeypatch.setattr(library_view, "view", broken)
    page.goto("/library")
    expect(page.get_by_role("heading", name=heading)).to_be_visible()
    assert "secret" not in page.content()
    monkeypatch.undo()
    page.get_by_role("link", name="Try again").click()
    expect(page.get_by_role("heading", name="Library")).to_be_visible()
