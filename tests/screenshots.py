"""The pictures in docs/: the pages over the demo's library, as a browser shows them.

make screenshots
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE / "integration"), str(HERE / "web" / "pages")]

from browsing import PHONE, Chromium, Site, Window, sample_office  # noqa: E402

from paperless_fingerprint.demo.run import page_open  # noqa: E402

_DESK = {"viewport": {"width": 1180, "height": 760}}
_DARK_PHONE = {"viewport": PHONE, "color_scheme": "dark"}
#: Where it is, on what it is seen, and the keys that are pressed there.
PICTURES = {
    "list": ("/review", _DESK),
    "side-by-side": ("/review/p23-24", _DESK),
    "texts": ("/review/p23-24#text", _DESK),
    "pages": ("/review/p3-4", _DESK, "v"),
    "marked": ("/review/p23-24", _DESK, "v"),
    "difference": ("/review/p23-24", _DESK, "v4--"),
    "resolve": ("/review/g1/resolve", _DESK),
    "search": ("/search?q=FINGERPRINT:12_20", _DESK),
    "neighbours": ("/documents/9?wide=1", {**_DESK, "color_scheme": "dark"}),
    "versions": ("/documents/23#versions", _DESK),
    "library": ("/library?similarity=50", _DESK),
    "phone": ("/review/g1", _DARK_PHONE),
}


def take(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    chromium = Chromium()
    try:
        with (
            tempfile.TemporaryDirectory() as place,
            sample_office(Path(place)) as office,
            page_open(office.settings) as url,
        ):
            window = Window(Site(url, office), chromium)
            for name, (path, options, *keys) in PICTURES.items():
                chromium.run(_take, window, path, folder / f"{name}.png", options, "".join(keys))
            chromium.run(window.close)
    finally:
        chromium.stop()


def _take(window: Window, path: str, file: Path, options: dict[str, object], keys: str) -> None:
    page = window.open(**options)
    page.goto(path, wait_until="networkidle")
    for key in keys:
        page.keyboard.press(key)
        page.locator("#see[data-ready]").wait_for()
        page.locator(".see-words > span").first.wait_for(state="attached")
    page.screenshot(path=file)
    print(f"{file}: {file.stat().st_size:,} bytes")


if __name__ == "__main__":
    take(Path(sys.argv[1]))
