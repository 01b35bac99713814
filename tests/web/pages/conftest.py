"""Fixtures for the tests that look at pages. A test with a `page` runs in the browser's thread."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

HERE = Path(__file__).parent
# Tests are no package; what those of Paperless share is used here, too.
sys.path.insert(0, str(HERE.parents[1] / "integration"))
sys.path.insert(0, str(HERE))

from browsing import Chromium, ChromiumError, Site, Window, sample_office  # noqa: E402

from kinds_of_store import KINDS, store_settings  # noqa: E402
from paperless_fingerprint.demo.run import page_open  # noqa: E402

#: A decision counts in what a test looks at next, also where the machine is slow.
PATIENCE_SECONDS = 60.0


@pytest.fixture(scope="session")
def chromium() -> Iterator[Chromium]:
    try:
        found = Chromium()
    except ChromiumError as error:
        pytest.fail(str(error), pytrace=False)
    yield found
    found.stop()


@pytest.fixture(scope="session", params=KINDS)
def site(request, tmp_path_factory) -> Iterator[Site]:
    """The sample library, shown by a server; decisions of one test are undone by that test."""
    with ExitStack() as stack:
        more = store_settings(request, stack)
        folder = tmp_path_factory.mktemp("site")
        office = stack.enter_context(sample_office(folder, **more))
        url = stack.enter_context(page_open(office.settings, patience_seconds=PATIENCE_SECONDS))
        yield Site(url, office)


@pytest.fixture(params=KINDS)
def any_store(request) -> Iterator[dict[str, str]]:
    """For `open_site`: the settings of each kind of store. It comes first in a test's arguments, so
    that the site is gone before what it wrote is."""
    with ExitStack() as stack:
        yield store_settings(request, stack)


@pytest.fixture
def open_site(tmp_path, chromium) -> Iterator[Callable[..., tuple[Site, Window]]]:
    """Sites of a test's own: (documents, settings) → the site and a window on it."""
    with ExitStack() as stack:

        def opened(documents=None, *, synced=True, before=None, **settings):
            office = stack.enter_context(
                sample_office(tmp_path, documents, synced=synced, **settings)
            )
            if before is not None:
                before(office)
            site = Site(
                stack.enter_context(page_open(office.settings, patience_seconds=PATIENCE_SECONDS)),
                office,
            )
            window = Window(site, chromium)
            # The thread of the browser is the one that the test runs in.
            stack.callback(chromium.run, window.close)
            return site, window

        yield opened


@pytest.fixture
def window(site, chromium) -> Iterator[Window]:
    """For tests that want windows of their own kind: a phone, the dark, no script."""
    window = Window(site, chromium)
    yield window
    chromium.run(window.close)


@pytest.fixture
def page(window, chromium):
    """A window on a desk, signed in. Whatever the console complains of fails the test."""
    return chromium.run(window.open)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if "chromium" not in pyfuncitem.fixturenames:
        return None
    chromium = pyfuncitem.funcargs["chromium"]
    wanted = pyfuncitem._fixtureinfo.argnames
    chromium.run(pyfuncitem.obj, **{name: pyfuncitem.funcargs[name] for name in wanted})
    return True
