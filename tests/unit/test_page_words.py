"""Texts of the pages are marked for translation; those that are chosen by a name are all there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from paperless_fingerprint.web import messages
from paperless_fingerprint.web.rendering import environment

WEB = Path(messages.__file__).parent
TEMPLATES = sorted((WEB / "templates").glob("*.html"))
SOURCES = {
    path: path.read_text() for path in [*TEMPLATES, *WEB.glob("pages*.py"), WEB / "rendering.py"]
}
#: t("a.b"), t.n("a.b", …), t("a." ~ b), t(f"a.{b}")
CALL = re.compile(
    r"""(?:\bt|words\(\))(?:\.(?P<way>n|has|get))?\(\s*f?"(?P<key>[^"{]*)(?P<more>"\s*~|\{)?"""
)


def _used() -> tuple[set[str], set[str]]:
    whole, beginnings = set(), set()
    for text in SOURCES.values():
        for found in CALL.finditer(text):
            (beginnings if found["more"] else whole).add(found["key"])
    return whole, beginnings


def test_every_text_that_is_asked_for_is_there() -> None:
    whole, beginnings = _used()
    assert beginnings
    assert whole <= messages.TEXTS.keys()
    for beginning in beginnings:
        assert any(key.startswith(beginning) for key in messages.TEXTS), beginning


def test_every_text_is_used() -> None:
    whole, beginnings = _used()
    unused = [
        key
        for key in messages.TEXTS
        if key not in whole
        and not any(beginning and key.startswith(beginning) for beginning in beginnings)
    ]
    assert unused == []


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_templates_hold_no_words_of_their_own(path: Path) -> None:
    text = re.sub(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}", " ", path.read_text(), flags=re.DOTALL)
    # Tags with their attributes, and what is quoted as an example or a setting.
    text = re.sub(r"<(code|pre)\b.*?</\1>", " ", text, flags=re.DOTALL)
    text = re.sub(r"<[^>]*>", " ", text)
    assert re.findall(r"[^\W\d_]{2,}", text.replace("nbsp", "")) == []


def test_the_content_security_policy_is_kept() -> None:
    """No style, script or handler inside a page: the browser would refuse them."""
    for path in TEMPLATES:
        text = path.read_text()
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", text), path.name
        assert not re.search(r"<script(?![^>]*\ssrc=)", text), path.name


def test_nothing_is_marked_as_safe() -> None:
    for path, text in SOURCES.items():
        assert "|safe" not in text.replace(" ", ""), path.name
        assert "Markup" not in text, path.name
    assert environment().autoescape
