"""What holds for every page: for all eyes and hands, at every width, in the dark, and quickly."""

from __future__ import annotations

import re

import pytest
from browsing import DESK, LOW, PHONE, TALL, any_store, set_in
from playwright.sync_api import Page, expect

pytestmark = any_store
#: Rules of WCAG 2.2 AA, and what axe's makers call best practice.
AXE = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "resultTypes": ["violations"],
}
FIRST_PAINT_BYTES = 100_000
PAGES = {
    "list": "/review",
    "filtered": "/review?relation=version&since=2024-01-01",
    "nothing": "/review?state=dismissed&relation=exact&correspondent=Nobody",
    "group": "/review/g1",
    "pair": "/review/p23-24",
    "keep one": "/review/g1/resolve",
    "keep one of each": "/resolve-many?relation=exact&rule=oldest&rule=pages",
    "search": "/search",
    "hits": "/search?q=FINGERPRINT:12_20&explain=1",
    "words": "/search?q=kestrel",
    "miss": "/search?q=kestrell OR estrel",
    "mistake": "/search?q=(",
    "not compared": "/uncompared",
    "document": "/documents/23?wide=1",
    "library": "/library",
    "what if": "/library?similarity=50",
    "activity": "/work",
    "first steps": "/first-run",
    "decisions": "/decisions",
    "error": "/nothing",
}


def violations(page: Page) -> list[str]:
    from axe_playwright_python.sync_playwright import Axe

    # All at once: a link half behind a bar that stays is no small link, one can scroll.
    size = page.viewport_size
    height = page.evaluate("document.documentElement.scrollHeight")
    page.set_viewport_size({**size, "height": height})
    found = Axe().run(page, options=AXE).response["violations"]
    page.set_viewport_size(size)
    return [
        f"{each['id']}: {node['html'][:200]} {node.get('failureSummary', '')[:300]}"
        for each in found
        for node in each["nodes"][:3]
    ]


def too_wide(page: Page) -> int:
    return page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )


@pytest.mark.parametrize(
    ("view", "scheme", "letters"),
    [(DESK, "light", LOW), (PHONE, "dark", LOW), (PHONE, "light", TALL)],
    ids=["desk in the light", "phone in the dark", "phone with tall letters"],
)
def test_no_page_has_anything_that_gets_in_the_way(window, chromium, view, scheme, letters):
    """Console errors fail every test; see Window."""
    page = window.open(viewport=view, color_scheme=scheme)
    found = {}
    for name, path in PAGES.items():
        page.goto(path)
        set_in(page, letters)
        # What is folded away counts, too.
        page.locator("main details").evaluate_all("all => all.forEach(one => one.open = true)")
        found[name] = violations(page), too_wide(page)
        expect(page.locator("h1")).to_have_count(1)
    assert found == dict.fromkeys(PAGES, ([], 0))


@pytest.mark.parametrize("letters", [LOW, TALL], ids=["low", "tall"])
def test_links_in_lists_are_tall_enough_to_touch(window, chromium, letters):
    page = window.open(viewport=PHONE, has_touch=True)
    for path in ("/review", "/search?q=FINGERPRINT:12_20"):
        page.goto(path)
        set_in(page, letters)
        links = page.locator(".group").get_by_role("link")
        heights = links.evaluate_all("all => all.map(one => one.getBoundingClientRect().height)")
        assert len(heights) > 5
        assert min(heights) >= 24, path


def test_signing_in_has_nothing_in_the_way_either(window, chromium):
    page = window.open(signed_in=False, viewport=PHONE)
    page.goto("/sign-in")
    page.get_by_text("One-time code or token").click()
    assert (violations(page), too_wide(page)) == ([], 0)


def test_the_dark_is_dark_and_can_be_chosen(window, chromium):
    page = window.open(color_scheme="light")
    page.goto("/review")

    def brightness() -> float:
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(map(float, re.findall(r"\d+", colour)[:3])) / 3

    assert brightness() > 200
    page.emulate_media(color_scheme="dark")
    assert brightness() < 60
    page.locator(".bar .menu summary").click()
    page.get_by_role("button", name="Light").click()
    page.wait_for_url("**/review")
    assert brightness() > 200
    page.emulate_media(color_scheme="light")
    page.locator(".bar .menu summary").click()
    page.get_by_role("button", name="Dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    assert brightness() < 60
    # It is remembered.
    page.goto("/library")
    assert brightness() < 60


def test_the_first_paint_is_small_and_the_second_smaller(window, chromium):
    page = window.open()
    for path in ("/review", "/review/g1", "/library", "/search?q=FINGERPRINT:12_20"):
        page.goto(path, wait_until="load")
        # Pictures of pages come after it, and only those that one can see.
        size = page.evaluate(
            """performance.getEntries().filter(it => it.encodedBodySize && !/thumb/.test(it.name))
               .reduce((sum, it) => sum + it.encodedBodySize, 0)"""
        )
        assert 10_000 < size < FIRST_PAINT_BYTES, path
    static = page.locator("link[rel=stylesheet]").first.get_attribute("href")
    answer = page.request.get(static)
    assert "immutable" in answer.headers["cache-control"]
    wrong = re.sub(r"/static/\w+/", "/static/0123456789abcdef/", static)
    assert "immutable" not in page.request.get(wrong).headers["cache-control"]
    for path in ("/static/x/..%2F..%2Fwords.py", "/static/x/%2e%2e/words.py", "/static/x/none.css"):
        assert page.request.get(path).status == 404


def test_the_keyboard_reaches_everything_in_order(page, chromium):
    # What comes after the page would take the place of a link that may have the focus just then.
    page.route("**/changes*", lambda route: route.fulfill(status=404))
    page.goto("/review/g1")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    reached = []
    for _ in range(40):
        page.keyboard.press("Tab")
        seen = page.evaluate(
            """() => {
                const it = document.activeElement;
                const style = getComputedStyle(it);
                return [it.textContent.trim().slice(0, 20), style.outlineStyle, it.tagName];
            }"""
        )
        if seen[2] == "BODY":
            break
        if seen[2] == "MAIN":
            # Where the link led to, which is no stop; the browser may get there after the key.
            continue
        reached.append(seen[0])
        assert seen[1] != "none", f"no focus is to be seen on {seen[0]}"
    for wanted in ("Compare pages", "Same", "Different", "Shortcuts"):
        assert any(text.startswith(wanted) for text in reached), reached


def test_small_words_are_large_enough_to_touch(window, chromium):
    page = window.open(viewport=PHONE, has_touch=True)
    page.goto("/review/g1")
    for button in page.locator(".dock button:visible, .side a").all():
        box = button.bounding_box()
        assert min(box["width"], box["height"]) >= 24
