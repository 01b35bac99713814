"""Titles and texts are what people wrote, or what somebody sent them: whatever it is, it is shown."""

from __future__ import annotations

from browsing import DESK, PHONE
from playwright.sync_api import expect
from test_every_page import too_wide, violations

from documents import some_text
from paperless_fingerprint.model import Document

SCRIPT = '<script>window.caught = 1</script><img src=x onerror="window.caught = 1">'
TURNED = "\u202egnp.ecnirP\u202c \u2067 فاتورة 2024 \u2069 \u200f\u061c"
LONG = "W" * 10_000
BRACES = "{{ 7 * 7 }} {% raise %} {0} %s \\ </main></body></html>"


def strange_documents() -> list[Document]:
    text = some_text(400, seed=1)
    more = f"{SCRIPT}\n{TURNED}\n{LONG}\n{BRACES}"
    titles = [SCRIPT, TURNED, LONG, BRACES, ""]
    return [
        Document(
            id=number,
            title=title,
            content=_scanned(f"{more} {text}" if number != 2 else f"{text} {LONG}", number),
            correspondent=titles[-number][:128] or None,
            document_type=title[:128] or None,
            created="2024-03-03",
            tags=(title[:100],) if title else (),
            original_filename="scan.pdf",
        )
        for number, title in enumerate(titles, start=1)
    ]


def _scanned(text: str, number: int) -> str:
    """Each copy is misread in other places."""
    words = text.split(" ")
    for place in range(40 + number, len(words), 70):
        words[place] = words[place].translate(str.maketrans("ie", "lc"))
    return " ".join(words)


def test_strange_texts_change_nothing(open_site, chromium):
    site, window = open_site(strange_documents())
    with site.office.open() as place:
        group = next(iter(place.store.groups()))
    assert len(group.members) > 2
    for look in ({"viewport": DESK}, {"viewport": PHONE, "color_scheme": "dark"}):
        page = window.open(**look)
        for path in (
            "/review", f"/review/{group.id}", f"/review/{group.id}?with={group.members[-1]}",
            "/search?q=type:*", f"/search?q={LONG[:9000]}", "/documents/1?wide=1", "/library",
            f"/review?correspondent={SCRIPT}&relation=near", "/first-run",
        ):  # fmt: skip
            page.goto(path)
            assert too_wide(page) <= 0, path
            assert page.evaluate("window.caught") is None
            assert page.locator("main script, main img[onerror]").count() == 0
        assert violations(page) == []


def test_each_member_of_a_group_is_compared_with_the_primary(open_site, chromium):
    _, window = open_site(strange_documents())
    page = window.open()
    page.goto("/review")
    page.locator("[data-row]").first.click()
    page.wait_for_url("**/review/g*")
    shown = page.locator(".strip a[aria-current]")
    expect(shown).to_have_count(2)
    before = shown.last.get_attribute("href")
    page.keyboard.press("m")
    expect(shown.last).not_to_have_attribute("href", before)
    # The one that is shown does not belong; the others stay together.
    count = page.locator(".strip li").count()
    page.keyboard.press("d")
    expect(page.locator("#live")).to_contain_text("are different")
    expect(page.locator(".strip li")).to_have_count(count - 1)
    page.keyboard.press("u")
    expect(page.locator(".strip li")).to_have_count(count)


def test_a_document_that_is_gone_while_it_is_looked_at(open_site, chromium):
    site, window = open_site(strange_documents())
    page = window.open()
    page.goto("/review")
    page.locator("[data-row]").first.click()
    expect(page.locator(".dock")).to_be_visible()
    with site.office.open() as place:
        place.store.delete(place.store.ids())
    page.keyboard.press("s")
    expect(page.get_by_role("heading", name="The document no longer exists")).to_be_visible()


def test_what_differs_at_the_end_of_a_long_text_is_shown(open_site, chromium):
    pages = [f"Page {n}. {some_text(60, seed=n)}" for n in range(200)]
    changed = [*pages[:-1], f"{pages[-1]} corrected"]
    part = pages[150:153]
    texts = ["\f".join(each) for each in (pages, changed, part)]
    _, window = open_site(
        [
            Document(id=n, content=text, original_filename="scan.pdf")
            for n, text in enumerate(texts, 1)
        ]
    )
    page = window.open()
    page.goto("/review/p1-2")
    differences = page.get_by_role("region", name="Text differences")
    expect(differences.locator(".change ins").last).to_contain_text("corrected")
    expect(differences).to_contain_text("longer than shown here")
    expect(differences).not_to_contain_text("The texts say the same.")
    page.keyboard.press("v")
    said = page.locator(".see-said")
    expect(said).to_contain_text("Changes marked in document 2: 1 (pages: 200)")
    expect(said).to_contain_text("too long to be compared here as a whole")
    # A part is not said to be missing from what was cut off.
    page.goto("/review/p1-3")
    expect(differences).to_contain_text("Page 151.")
    expect(differences.locator(".change:not(.key) ins")).to_have_count(0)
