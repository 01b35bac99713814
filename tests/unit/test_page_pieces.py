"""The pieces that pages are made of: figures as text, places in pictures, addresses, files."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.routing import Mount

from paperless_fingerprint.review.neighbourhood import Edge, Node, positions
from paperless_fingerprint.web import pictures
from paperless_fingerprint.web.pages import local
from paperless_fingerprint.web.rendering import clipped, percent, query_string, size, static_files

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("figure", "shown"),
    [(None, "–"), (0, "0 %"), (0.004, "0 %"), (0.996, "99 %"), (0.9999, "99 %"), (1.0, "100 %")],
)
def test_nothing_is_rounded_up_to_certainty(figure, shown):
    assert percent(figure) == shown


@pytest.mark.parametrize(
    ("count", "shown"),
    [(None, "–"), (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (12_900_000, "12.9 MB"),
     (3e12, "3,000 GB")],
)  # fmt: skip
def test_sizes(count, shown):
    assert size(count) == shown


def test_long_texts_are_clipped():
    assert len(clipped("W" * 10_000, 200)) == 200
    assert clipped(None) == ""


@given(st.text())
def test_one_is_sent_to_places_of_ours_alone(told):
    to = local(told)
    assert to.startswith("/")
    assert not to.startswith(("//", "/\\"))
    assert "\n" not in to
    assert "\r" not in to


@pytest.mark.parametrize(
    "told", ["https://example.org/x", "//example.org", "/\\example.org", "javascript:alert(1)", "",
             None, "/x\r\nSet-Cookie: a=b", "/\t/example.org", "review"],
)  # fmt: skip
def test_other_places_are_refused(told):
    assert local(told) == "/review"


def test_parameters_that_are_empty_are_left_out():
    assert query_string({"a": "1", "b": ""}, c=None, a="2") == "a=2"


# Pictures ------------------------------------------------------------------------------------

# Each of 1 to 39 hangs from the centre (0) or from one of the first three, and so at most in the
# second circle, as far as the page looks.
_neighbours = st.lists(st.integers(0, 3), min_size=3, max_size=39)


@given(_neighbours)
def test_documents_lie_inside_the_picture(hangs_from):
    pairs = [(via if id > 3 else 0, id) for id, via in enumerate(hangs_from, 1)]
    nodes = [
        Node(id, "", place.x, place.y, 1, "", via=place.via)
        for id, place in positions(0, pairs).items()
    ]
    edges = [Edge(a, b, 0.5, "near", 0.9) for a, b in pairs]
    drawn = pictures.graph(nodes, edges)
    left, top, width, height = map(float, drawn.box.split())
    for place in drawn.places:
        assert left + drawn.radius <= place.x <= left + width - drawn.radius
        assert top + drawn.radius <= place.y <= top + height - drawn.radius
    assert len(drawn.lines) == len(edges)


@given(st.lists(st.lists(st.integers(0, 10**7), min_size=2, max_size=2), max_size=20))
def test_bars_lie_inside_the_chart_and_none_is_lost(counts):
    chart = pictures.histogram(counts, 0.5, 1.0)
    assert sum(bar.count for bar in chart.bars) == sum(map(sum, counts))
    for bar in chart.bars:
        assert bar.height >= 2
        assert chart.left <= bar.x <= bar.x + bar.width <= chart.right
        assert bar.y + bar.height <= chart.bottom + 0.1
        assert bar.y >= chart.top - 2.1


def test_the_curve_goes_from_corner_to_corner():
    chart = pictures.curve([(0.0, 0.0), (0.5, 0.955), (1.0, 1.0)])
    points = chart.points.split()
    assert points[0] == f"{chart.left}.0,{chart.bottom}.0"
    assert points[-1] == f"{chart.right}.0,{chart.top}.0"


# Files -----------------------------------------------------------------------------------------


def test_static_files_bear_the_hash_of_their_content():
    found = static_files()
    assert {"style.css", "page.js", "icons.svg", "mark.svg"} <= found.keys()
    addresses = {file.address for file in found.values()}
    assert len(addresses) == len(found)
    assert all(re.fullmatch(r"/static/[0-9a-f]{16}/[\w.-]+", each) for each in addresses)
    # Nothing comes from elsewhere: it works in a cellar.
    for file in found.values():
        assert not re.search(rb"(?:url\(|@import|import\s).*https?:", file.content), file.name


def test_pages_know_the_folder_that_a_proxy_put_them_into():
    from starlette.requests import Request
    from starlette.routing import Route

    from paperless_fingerprint.web.pages import go
    from paperless_fingerprint.web.rendering import rendered

    def page(request: Request):
        return rendered(
            request, "sign_in.html", person=None, csrf="", trouble="", said=None, section="",
            back="/review", message="", failed=False, username="", open_more=False,
        )  # fmt: skip

    inner = [Route("/sign-in", page), Route("/go", lambda request: go(request, "/review"))]
    app = Starlette(routes=[Mount("/duplicates", routes=inner)])
    app.state.visits = SimpleNamespace(read_only=False)

    async def answers() -> list[httpx.Response]:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            return [await client.get(f"/duplicates/{path}") for path in ("sign-in", "go")]

    shown, gone = asyncio.run(answers())
    assert 'action="/duplicates/sign-in"' in shown.text
    assert set(re.findall(r'(?:href|src|action)="(/[^/"]*)', shown.text)) == {"/duplicates"}
    assert gone.headers["location"] == "/duplicates/review"


def test_templates_and_static_files_are_in_the_wheel(tmp_path):
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT, check=True, capture_output=True,
    )  # fmt: skip
    (wheel,) = tmp_path.glob("*.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    web = ROOT / "src" / "paperless_fingerprint" / "web"
    for path in [*(web / "templates").iterdir(), *(web / "static").iterdir()]:
        assert f"paperless_fingerprint/{path.relative_to(web.parent).as_posix()}" in held
