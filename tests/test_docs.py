"""The docs say what the program does now."""

from __future__ import annotations

import re
from pathlib import Path

import click
import yaml
from click.testing import CliRunner

from paperless_fingerprint.cli import main
from paperless_fingerprint.settings.registry import REGISTRY

ROOT = Path(__file__).parent.parent
#: The changelog may speak of what is gone.
PAGES = [
    path
    for path in (*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/*.md")))
    if path.name != "CHANGELOG.md"
]
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
    for path in PAGES:
        for target, anchor in re.findall(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", path.read_text()):
            there = path.parent / target if target else path
            assert there.exists(), f"{path.name} links to {target}"
            if anchor:
                assert anchor in _anchors(there), f"{path.name} links to {target}#{anchor}"


def _anchors(page: Path) -> set[str]:
    """As GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def test_every_page_is_linked_from_another() -> None:
    texts = {path: path.read_text() for path in PAGES}
    for page in set(ROOT.glob("docs/*.md")) - {ROOT / "docs" / "index.md"}:
        linked = [path for path, text in texts.items() if path != page and page.name in text]
        assert linked, page.name


def test_the_site_has_every_page() -> None:
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text())
    named = [
        page
        for entry in site["nav"]
        for page in (next(iter(entry.values())) if isinstance(entry, dict) else [entry])
    ]
    assert sorted(named) == sorted(path.name for path in ROOT.glob("docs/*.md"))


def test_every_option_in_the_docs_is_one_of_its_command() -> None:
    context = click.Context(main)
    for path in PAGES:
        blocks = re.findall(r"^```(?:sh)?\n(.*?)^```", path.read_text(), re.MULTILINE | re.DOTALL)
        inline = re.findall(r"`([^`\n]+)`", path.read_text())
        for line in [line for block in blocks for line in block.splitlines()] + inline:
            called = re.search(r"(?:^|/)paperless-fingerprint ([a-z]+)([^|#]*)", line)
            if called is None:
                continue
            command = main.get_command(context, called[1])
            assert command is not None, f"{path.name}: {line}"
            if isinstance(command, click.Group):
                continue
            known = {name for one in command.params for name in one.opts} | {"--help"}
            for option in re.findall(r"(?<!\S)--[a-z-]+", called[2]):
                assert option in known, f"{path.name}: {line}"


def test_every_setting_that_the_docs_name_is_one() -> None:
    sections = {setting.section for setting in REGISTRY}
    known = {setting.label for setting in REGISTRY}
    for path in PAGES:
        for section, name in re.findall(r"\[([a-z]+)\] ([a-z_]+)", path.read_text()):
            if section in sections:
                assert f"[{section}] {name}" in known, f"{path.name} names [{section}] {name}"


def test_no_machine_and_no_registry_is_named() -> None:
    forbidden = (
        "/work/" + "main",
        "py" + "pi.org",
        "files.python" + "hosted",
        "registry.np" + "mjs",
    )
    folders = "src tests benchmarks docs hooks es_mappings deploy tools .ci .github".split()
    kinds = {".py", ".md", ".json", ".toml", ".txt", ".lock", ".yaml", ".yml", ".xml", ""}
    inside = [path for folder in folders for path in (ROOT / folder).rglob("*")]
    for path in [*ROOT.glob("[!.]*"), ROOT / ".env.example", *inside]:
        if path.is_file() and path.suffix in kinds:
            text = path.read_text(errors="ignore")
            for word in forbidden:
                assert word not in text, f"{path} names {word}"
