"""A real Chromium, and a real server with a stand-in Paperless behind it, for tests and pictures.

Chromium is started once. Playwright belongs to the thread that started it and would leave an event
loop running in there, so it gets a thread of its own; tests with a `page` run in that thread.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest
from paperless_work import Office

from paperless_fingerprint.demo.library import sample_library
from paperless_fingerprint.demo.stand_in import StandIn
from paperless_fingerprint.model import Document

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, ConsoleMessage, Page

T = TypeVar("T")
NAMED = "PAPERLESS_FINGERPRINT_TEST_CHROMIUM"
_PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
#: For a machine that has other things to do, too; what is there at once is not waited for.
_PATIENCE_MILLISECONDS = 20_000
#: For what has nothing to do with the store.
any_store = pytest.mark.parametrize("site", ["sqlite"], indirect=True)


class ChromiumError(Exception):
    """Says why there is none."""


class Chromium:
    """One browser for all tests, in a thread of its own."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="chromium")
        self.run(self._start)

    def run(self, work: Callable[..., T], *arguments: Any, **named: Any) -> T:
        return self._thread.submit(work, *arguments, **named).result()

    def _start(self) -> None:
        from playwright.sync_api import Error, expect, sync_playwright

        expect.set_options(timeout=_PATIENCE_MILLISECONDS)

        named = os.environ.get(NAMED)
        program = next(filter(None, map(shutil.which, [named] if named else _PROGRAMS)), None)
        if program is None:
            raise ChromiumError(
                "No Chromium is there. tests/install-chromium installs one where it may; else "
                f"name one in {NAMED}."
            )
        self._playwright = sync_playwright().start()
        try:
            # As root, which is what a container is, Chromium starts without its sandbox alone.
            self.browser = self._playwright.chromium.launch(
                executable_path=program,
                chromium_sandbox=os.geteuid() != 0,
                args=["--disable-dev-shm-usage", "--force-color-profile=srgb"],
            )
        except Error as error:
            self._playwright.stop()
            raise ChromiumError(f"{program} does not start: {error}") from error

    def stop(self) -> None:
        def ended() -> None:
            self.browser.close()
            self._playwright.stop()

        self.run(ended)
        self._thread.shutdown()


class Site:
    """A server, the office that it shows, and what one needs to be signed in."""

    def __init__(self, url: str, office: Office) -> None:
        self.url = url
        self.office = office
        #: Signing in is rationed, so it is done once.
        self.cookies: Any = None


class Window:
    """Browser windows of one test, and what their consoles complained of."""

    def __init__(self, site: Site, chromium: Chromium) -> None:
        self._site = site
        self._chromium = chromium
        self._contexts: list[BrowserContext] = []
        self.complaints: list[str] = []
        #: A test that takes something away says here what will be complained of.
        self.expected: tuple[str, ...] = ("status of 4",)

    def open(self, *, signed_in: bool = True, **options: Any) -> Page:
        if signed_in and self._site.cookies is None:
            sign_in(self.open(signed_in=False))
            self._site.cookies = self._contexts[-1].storage_state()
        options.setdefault("viewport", DESK)
        context = self._chromium.browser.new_context(
            base_url=self._site.url,
            storage_state=self._site.cookies if signed_in else None,
            **options,
        )
        context.set_default_timeout(_PATIENCE_MILLISECONDS)
        self._contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", self._heard)
        return page

    def _heard(self, message: ConsoleMessage) -> None:
        # An answer of 404 or 409 is reported, too; a test that wants one looks at its page.
        text = f"{message.text} ({message.location.get('url')})"
        if message.type in {"error", "warning"} and not any(e in text for e in self.expected):
            self.complaints.append(text)

    def close(self) -> None:
        for context in self._contexts:
            context.close()
        assert self.complaints == []


#: Low and narrow, tall and wide: what people's fonts are lies between.
LOW = {"ascentOverride": "75%", "descentOverride": "20%", "sizeAdjust": "85%"}
TALL = {"ascentOverride": "110%", "descentOverride": "35%", "sizeAdjust": "110%"}
#: One of these is there wherever Chromium is: their packages need one.
_FONTS = ("DejaVuSans", "LiberationSans", "NotoSans-Regular", "BitstreamVeraSans-Roman", "ArialMT")
_SET = """async ([fonts, measures]) => {
    const from = fonts.map(name => `local("${name}")`).join(", ");
    const font = await new FontFace("Measured", from, measures).load().catch(() => {
        throw new Error(`The tests measure with one of ${fonts}: install fonts-dejavu-core.`);
    });
    document.fonts.add(font);
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("* { font-family: Measured !important; }");
    document.adoptedStyleSheets = [sheet];
}"""


def set_in(page: Page, measures: dict[str, str]) -> None:
    """The page in letters of these measures, so that it does not matter which the machine has."""
    page.evaluate(_SET, [_FONTS, measures])


DESK = {"width": 1280, "height": 800}
PHONE = {"width": 360, "height": 740}


def sign_in(page: Page, name: str = "admin", password: str = "admin") -> None:
    page.goto("/sign-in")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(lambda url: "/sign-in" not in url)


@contextmanager
def sample_office(
    folder: Path,
    documents: Sequence[Document] | None = None,
    *,
    synced: bool = True,
    **settings: str,
) -> Iterator[Office]:
    """The sample library (or these) in a stand-in Paperless; fetched, compared and told."""
    held = sample_library() if documents is None else documents
    with StandIn(held, sign_ins_a_minute=1000) as paperless:
        office = Office(folder, paperless, service_port="0", **settings)
        if synced:
            office.sync()
            office.apply()
        yield office
