"""The docs say what the program does now."""

from __future__ import annotations

import re
from pathlib import Path

import click
from click.testing import CliRunner

from paperless_fingerprint.cli import main

ROOT = Path(__file__).parent.parent
HEAD = (
    "# Settings\nA value comes from the command line, else from the environment, else from the TOML "
    "file (`~/.config/paperless-fingerprint/config.toml`, or `--config`), else it is the default. "
    "`paperless-fingerprint config show` tells what is in force and why.\n\n"
)


def test_every_setting_is_documented() -> None:
    """Write it anew with: make docs"""
    table = CliRunner().invoke(main, ["config", "show", "--markdown"]).stdout
    assert (ROOT / "docs" / "settings.md").read_text() == HEAD + table


def test_every_command_stands_in_the_docs() -> None:
    text = "\n".join(path.read_text() for path in [ROOT / "README.md", *ROOT.glob("docs/*.md")])
    for name in main.list_commands(click.Context(main)):
        assert f"paperless-fingerprint {name}" in text or f"`{name}" in text, name


def test_every_link_in_the_docs_leads_somewhere() -> None:
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/*.md")]:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", path.read_text()):
            assert (path.parent / target).exists(), f"{path.name} links to {target}"


def test_no_machine_and_no_registry_is_named() -> None:
    forbidden = (
        "/work/" + "main",
        "py" + "pi.org",
        "files.python" + "hosted",
        "registry.np" + "mjs",
    )
    for folder in ("src", "tests", "benchmarks", "docs", "hooks", "es_mappings", ".ci"):
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and path.suffix in {".py", ".md", ".json", ".toml", ".txt", ""}:
                text = path.read_text(errors="ignore")
                for word in forbidden:
                    assert word not in text, f"{path} names {word}"
