"""The pages of two documents, large and beside each other, drawn in a real browser."""

from __future__ import annotations

import re
from contextlib import contextmanager
from pathlib import Path

import pytest
from browsing import PHONE, any_store
from playwright.sync_api import Page, expect
from test_every_page import too_wide, violations

from paperless_fingerprint.demo.stand_in.pdf import locked, pdf_of
from paperless_fingerprint.demo.stand_in.pictures import thumbnail

pytestmark = any_store

FIXTURES = Path(__file__).parents[2] / "fixtures"
#: How much ink there is, and how much of it is red and blue, in hundredths of the canvas.
_INK = """canvas => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let [ink, red, blue] = [0, 0, 0];
    for (let i = 0; i < data.length; i += 4) {
        ink += data[i] + data[i + 1] + data[i + 2] < 600;
        red += data[i] > 200 && data[i + 1] < 90 && data[i + 2] < 90;
        blue += data[i + 2] > 200 && data[i] < 90;
    }
    return { ink, red, blue };
}"""


def see(page: Page, path: str) -> Page:
    page.goto(path)
    page.keyboard.press("v")
    expect(page.locator("#see[data-ready]")).to_be_visible()
    return page


def side(page: Page, id: int):
    return page.locator(f".see-side[data-document='{id}']")


def ink(page: Page, selector: str) -> dict[str, int]:
    return page.locator(selector).evaluate(_INK)


@contextmanager
def file_of(site, id: int, data: bytes, kind: str = "application/pdf"):
    """Another file in Paperless, for as long as the test looks."""
    row = site.office.paperless.library.documents[id]
    before = row.data, row.mime_type, row.original_file_name
    row.data, row.mime_type, row.original_file_name = data, kind, None
    try:
        yield
    finally:
        row.data, row.mime_type, row.original_file_name = before


def test_pages_are_drawn_only_when_asked_for_and_with_the_keyboard_alone(page, chromium):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("/review/p3-4")
    page.wait_for_load_state("networkidle")
    assert not any("/preview/" in url or "/pdfjs/" in url for url in asked)
    page.keyboard.press("v")
    expect(page.locator("#see[data-ready]")).to_be_visible()
    assert all(url.startswith(page.url.partition("/review")[0]) for url in asked)
    for id in (3, 4):
        assert side(page, id).locator("canvas").evaluate(_INK)["ink"] > 500
    page.keyboard.press("ArrowRight")
    expect(page.locator(".see-said")).to_contain_text("Document 3: page 2 of 2")
    # Linked, the other goes along.
    expect(page.locator(".see-said")).to_contain_text("Document 4: page 4 of 6")
    page.keyboard.press("l")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".see-said")).to_contain_text("Document 3: page 1 of 2")
    expect(page.locator(".see-said")).to_contain_text("Document 4: page 4 of 6")
    canvas = side(page, 3).locator("canvas")
    width = canvas.evaluate("it => it.clientWidth")
    page.keyboard.press("+")
    expect(page.locator("[data-see-zoom]")).to_have_text("125 %")
    expect(canvas).not_to_have_js_property("clientWidth", width)
    assert canvas.evaluate("it => it.clientWidth") > 1.2 * width
    page.keyboard.press("v")
    expect(page.locator("#see")).to_be_hidden()
    # Keys mean the entry again, and not the pages.
    page.keyboard.press("t")
    expect(page.locator(".diff.one-columns")).to_be_visible()
    page.keyboard.press("t")
    expect(page.locator(".diff.two-columns")).to_be_visible()


def test_keys_never_reach_the_page_behind(page, chromium):
    decided = page.locator("main tbody tr")
    page.goto("/decisions")
    before = decided.count()
    see(page, "/review/p23-24")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("d")
    page.keyboard.press("n")
    page.keyboard.press("4")
    expect(page.locator(".see-difference")).to_be_visible()
    assert page.url.endswith("/review/p23-24")
    page.goto("/decisions")
    # Other tests may have decided on the same two documents.
    expect(decided).to_have_count(before)


def test_a_picture_of_a_page_opens_them_large(page, chromium):
    page.goto("/review/p23-24")
    page.locator(".doc a[data-see]").first.click()
    expect(page.locator("#see[data-ready]")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#see")).to_be_hidden()
    assert len(page.context.pages) == 1


def test_the_place_of_a_part_is_found_marked_and_gone_to(page, chromium):
    see(page, "/review/p3-4")
    expect(page.locator(".see-said")).to_contain_text(
        "Document 3 is on pages 3–4 of 6 of document 4."
    )
    mark = side(page, 4).locator(".see-mark")
    expect(mark).to_be_visible()
    number = side(page, 4).get_by_role("spinbutton")
    expect(number).to_have_value("3")
    number.fill("1")
    number.press("Enter")
    expect(mark).to_be_hidden()
    page.get_by_role("button", name="Go to the place").press("g")
    expect(number).to_have_value("3")
    expect(mark).to_be_visible()
    expect(side(page, 3).get_by_role("spinbutton")).to_have_value("1")


def test_both_scroll_together_until_they_are_let_go(page, chromium):
    see(page, "/review/p23-24")
    for _ in range(3):
        page.keyboard.press("+")
    expect(page.locator("[data-see-zoom]")).to_have_text("200 %")
    left, right = side(page, 23).locator(".see-pane"), side(page, 24).locator(".see-pane")
    for pane in (left, right):
        expect(pane).not_to_have_js_property("scrollWidth", pane.evaluate("it => it.clientWidth"))
    left.evaluate("it => it.scrollTo(150, 200)")
    expect(right).not_to_have_js_property("scrollTop", 0)
    at = right.evaluate("it => [it.scrollLeft, it.scrollTop]")
    assert at == pytest.approx([150, 200], abs=3)
    page.keyboard.press("l")
    left.evaluate("it => it.scrollTo(0, 0)")
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert right.evaluate("it => [it.scrollLeft, it.scrollTop]") == at


def test_what_differs_between_two_pages_is_coloured(page, chromium):
    see(page, "/review/p23-24")
    page.keyboard.press("4")
    found = ink(page, ".see-difference")
    # '(corrected on 24 April 2024)' stands on the right alone.
    assert found["blue"] > 100
    assert found["red"] > 5
    expect(page.locator(".see-legend")).to_contain_text("only in 24")
    page.keyboard.press("v")
    see(page, "/review/p55-56")
    page.keyboard.press("4")
    same = ink(page, ".see-difference")
    assert (same["red"], same["blue"]) == (0, 0)


def test_pages_lie_over_each_other_and_take_turns(window, chromium):
    page = window.open(reduced_motion="reduce")
    see(page, "/review/p23-24")
    canvases = page.locator(".see-side").first.locator("canvas")
    page.keyboard.press("2")
    expect(canvases).to_have_count(2)
    page.get_by_label("Right over left").fill("20")
    expect(canvases.nth(1)).to_have_css("opacity", "0.2")
    page.keyboard.press("3")
    expect(canvases.nth(1)).to_be_visible()
    # Where somebody wants no motion, nothing blinks by itself.
    page.keyboard.press("b")
    expect(canvases.nth(1)).to_be_hidden()
    page.keyboard.press("b")
    expect(canvases.nth(1)).to_be_visible()
    page.keyboard.press("1")
    expect(canvases).to_have_count(1)
    expect(side(page, 24).locator("canvas")).to_be_visible()


def test_blinking_goes_on_by_itself(page, chromium):
    see(page, "/review/p23-24")
    page.keyboard.press("3")
    over = page.locator(".see-side").first.locator("canvas").nth(1)
    expect(over).to_be_hidden()
    expect(over).to_be_visible()


@pytest.mark.parametrize(
    ("data", "kind", "said"),
    [
        (locked(pdf_of("secret")), "application/pdf", "protected with a password"),
        (b"%PDF-1.4 and then nothing", "application/pdf", "damaged, or not a PDF"),
        (b"no picture", "image/png", "damaged, or not a PDF"),
        (b"words", "text/plain", "a kind that has no pages"),
        (b"<script>alert(1)</script>", "text/html", "not shown"),
    ],
    ids=["locked", "damaged", "no picture", "text", "page"],
)
def test_what_cannot_be_shown_is_said_and_the_other_is_shown(
    window, chromium, site, data, kind, said
):
    window.expected = ("status of 502",)
    page = window.open()
    with file_of(site, 23, data, kind):
        see(page, "/review/p23-24")
    expect(side(page, 23).locator(".see-trouble")).to_contain_text(said)
    expect(page.locator(".see-said")).to_contain_text("Document 24: page 1 of 1")
    assert side(page, 24).locator("canvas").evaluate(_INK)["ink"] > 500
    for key in "2341":
        page.keyboard.press(key)
    page.keyboard.press("v")
    expect(page.locator("#see")).to_be_hidden()


def test_a_page_that_cannot_be_drawn_leaves_the_others(page, chromium, site):
    pdf = pdf_of("one\ftwo\fthree")
    kids = re.search(rb"/Kids \[(\d+ 0 R) (\d+ 0 R) ", pdf)
    broken = pdf.replace(kids[0], b"/Kids [%s %s " % (kids[1], b"2 0 R".ljust(len(kids[2]))))
    with file_of(site, 23, broken):
        see(page, "/review/p23-24")
    page.keyboard.press("ArrowRight")
    expect(side(page, 23).locator(".see-trouble")).to_contain_text("cannot be drawn")
    page.keyboard.press("ArrowLeft")
    expect(side(page, 23).locator("canvas")).to_be_visible()


def test_a_picture_is_a_page_too(page, chromium, site):
    with file_of(site, 23, thumbnail("a receipt\nand its total"), "image/png"):
        see(page, "/review/p23-24")
    expect(page.locator(".see-said")).to_contain_text("Document 23: page 1 of 1")
    assert side(page, 23).locator("canvas").evaluate(_INK)["ink"] > 50


@pytest.mark.parametrize("name", ["scan-fax.pdf", "scan-jpeg2000.pdf"])
def test_what_scanners_write_is_drawn_without_webassembly(page, chromium, site, name):
    with file_of(site, 23, (FIXTURES / name).read_bytes()):
        see(page, "/review/p23-24")
    expect(page.locator(".see-said")).to_contain_text("Document 23: page 1 of 1")
    assert side(page, 23).locator("canvas").evaluate(_INK)["ink"] > 500


def test_a_bundle_of_five_hundred_pages(page, chromium, site):
    library = site.office.paperless.library
    letter = library.documents[3].content
    pages = [
        f"page {n} of a bundle, with words that are its own: {n * 17} and {n * 31}"
        for n in range(500)
    ]
    pages[250] = letter
    with file_of(site, 4, pdf_of("\f".join(pages))):
        see(page, "/review/p3-4")
    expect(page.locator(".see-said")).to_contain_text("on page 251 of 500 of document 4")
    number = side(page, 4).get_by_role("spinbutton")
    number.fill("500")
    number.press("Enter")
    expect(page.locator(".see-said")).to_contain_text("Document 4: page 500 of 500")


def test_a_document_that_is_gone_meanwhile(window, chromium, site):
    page = window.open()
    library = site.office.paperless.library
    page.goto("/review/p23-24")
    row = library.documents.pop(23)
    try:
        page.keyboard.press("v")
        expect(page.locator("#see[data-ready]")).to_be_visible()
        expect(side(page, 23).locator(".see-trouble")).to_contain_text("cannot be shown")
    finally:
        library.documents[23] = row


def marked(page: Page, id: int, many: int) -> list[dict[str, float]]:
    """Where on the shown page something is marked, from 0 to 1; as soon as it is so many times, since
    a page that is drawn anew has no marks for a moment."""
    found = page.wait_for_function(
        """([side, many]) => {
            const all = [...side.querySelectorAll(".see-words .change")];
            return all.length === many && all.map(it => {
                const [own, sheet] = [it.getBoundingClientRect(), it.parentElement.getBoundingClientRect()];
                return { left: (own.left - sheet.left) / sheet.width, right: (own.right - sheet.left) / sheet.width,
                         top: (own.top - sheet.top) / sheet.height };
            });
        }""",
        arg=[side(page, id).element_handle(), many],
    )
    return found.json_value()


def test_changed_words_are_marked_on_the_pages_until_a_key_is_pressed(page, chromium):
    see(page, "/review/p23-24")
    said = page.locator(".see-said")
    # A quantity and three amounts; on the right '(corrected on 24 April 2024)', too.
    expect(said).to_contain_text("Changes marked in document 23: 4 (pages: 1)")
    expect(said).to_contain_text("Changes marked in document 24: 5 (pages: 1)")
    left, right = marked(page, 23, 4), marked(page, 24, 5)
    added = min(right, key=lambda each: each["top"])
    assert added["right"] - added["left"] > 0.1
    # The same columns of the same lines on both pages.
    for one, other in zip(left, [each for each in right if each is not added], strict=True):
        assert other["right"] == pytest.approx(one["right"], abs=0.01)
        assert other["top"] == pytest.approx(one["top"], abs=0.01)
    # Larger, they stay at their places.
    page.keyboard.press("+")
    expect(page.locator("[data-see-zoom]")).to_have_text("125 %")
    expect(side(page, 23).locator("canvas")).to_be_visible()
    assert [each["top"] for each in marked(page, 23, 4)] == pytest.approx(
        [each["top"] for each in left], abs=0.005
    )
    page.keyboard.press("c")
    expect(side(page, 23).locator(".see-words > *")).to_have_count(0)
    expect(said).not_to_contain_text("marked")
    page.keyboard.press("c")
    expect(side(page, 23).locator(".see-words .change")).to_have_count(4)
    # The other ways to compare have colours of their own.
    page.keyboard.press("4")
    expect(page.get_by_role("checkbox", name="Mark changes")).to_be_hidden()
    expect(side(page, 23).locator(".see-words")).to_be_hidden()
    expect(said).not_to_contain_text("marked")


def test_what_was_misread_is_marked_otherwise(page, chromium):
    see(page, "/review/p1-2")
    expect(page.locator(".see-said")).to_contain_text("Changes marked in document 2: 1 (pages: 1)")
    assert (marked(page, 1, 0), len(marked(page, 2, 1))) == ([], 1)
    assert side(page, 1).locator(".see-words .noise").count() > 3


def test_the_next_change_may_be_on_another_page(page, chromium):
    see(page, "/review/p3-4")
    number = side(page, 4).get_by_role("spinbutton")
    expect(page.locator(".see-said")).to_contain_text("(pages: 1, 2, 3, 5, 6)")
    expect(number).to_have_value("3")
    for expected in ("5", "6", "1"):
        page.keyboard.press("n")
        expect(number).to_have_value(expected)
        expect(side(page, 4).locator(".see-words .change").first).to_be_visible()


def test_a_file_without_a_text_layer_is_named(page, chromium, site):
    with file_of(site, 23, (FIXTURES / "scan-fax.pdf").read_bytes()):
        see(page, "/review/p23-24")
        said = page.locator(".see-said")
        expect(said).to_contain_text("The file of document 23 holds no text")
        expect(said).to_contain_text("Changes marked in document 24: 5")
    with file_of(site, 23, pdf_of("Something else altogether stands in this file.")):
        see(page, "/review/p23-24")
        expect(said).to_contain_text("What changed in document 23 was not found")
        assert marked(page, 23, 0) == []


def test_texts_that_say_the_same_have_nothing_to_mark(page, chromium):
    see(page, "/review/p55-56")
    expect(page.locator(".see-said")).to_contain_text("The texts say the same.")
    expect(page.get_by_role("button", name="Next change")).to_be_disabled()


@pytest.mark.parametrize(
    ("options", "key"),
    [({}, "1"), ({}, "4"), ({"viewport": PHONE, "color_scheme": "dark"}, "1"),
     ({"viewport": PHONE, "color_scheme": "light"}, "2")],
    ids=["desk", "difference", "phone in the dark", "phone, overlay"],
)  # fmt: skip
def test_nothing_is_in_the_way(window, chromium, options, key):
    page = window.open(**options)
    see(page, "/review/p3-4")
    page.keyboard.press(key)
    assert (violations(page), too_wide(page)) == ([], 0)


def test_without_script_the_files_are_linked(window, chromium):
    page = window.open(java_script_enabled=False)
    page.goto("/review/p23-24")
    expect(page.get_by_role("button", name="Compare pages")).to_be_hidden()
    link = page.locator(".doc a[href*='/preview/']").first
    answer = page.request.get(link.get_attribute("href"))
    assert answer.headers["content-type"] == "application/pdf"


def test_only_files_of_the_viewer_are_served(page, chromium):
    base = page.goto("/review/p23-24") and page.locator("#see").get_attribute("data-pdfjs")
    module = page.request.get(f"{base}pdf.worker.min.mjs")
    assert module.headers["content-type"].startswith("text/javascript")
    assert "connect-src 'self'" in module.headers["content-security-policy"]
    assert "immutable" in module.headers["cache-control"]
    for path in ("none.js", "..%2Fpages.py", "%2e%2e/pages.py", "cmaps", "cmaps/", ""):
        assert page.request.get(base + path).status == 404, path
