"""The command `paperless-fingerprint`. Each command lives in a module that is loaded when used."""

from __future__ import annotations

import gc
from collections.abc import Mapping

import click

from paperless_fingerprint import __version__
from paperless_fingerprint.cli.context import Context, Group, shared_options

#: Heading → command → (where it is, what it does). In the order in which people need them.
_SECTIONS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "First steps": {
        "demo": ("demo:demo", "Try everything on a sample library"),
        "doctor": ("setup:doctor", "Check settings, store and connections; say what to fix"),
        "config": ("setup:config", "Show the settings and where each came from"),
        "serve": ("paperless:serve", "Run the page, the HTTP API and the background service"),
    },
    "Fill the library": {
        "sync": ("paperless:sync", "Fetch new and changed documents from Paperless"),
        "import": ("library:import_", "Import documents from JSON lines"),
        "analyze": ("library:analyze", "Find duplicates, versions and parts"),
    },
    "See results": {
        "groups": ("look:groups", "List the groups of duplicates, best match first"),
        "pairs": ("look:pairs", "List the pairs, best match first"),
        "show": ("look:show", "Show everything known about one document"),
        "compare": ("explain:compare", "Compare two documents and explain the result"),
        "search": ("search:search", "Search documents by words and by similarity"),
        "uncompared": ("look:uncompared", "List what could not be compared, and what to do"),
        "related": ("search:related", "List documents similar to one document"),
        "tune": ("explain:tune", "Show what other thresholds would add and remove"),
    },
    "Decide": {
        "confirm": ("decide:confirm", "Confirm that two documents are duplicates"),
        "dismiss": ("decide:dismiss", "Mark two documents as not duplicates"),
        "primary": ("decide:primary", "Choose which document of a group to keep"),
        "undo": ("decide:undo", "Undo a decision, or what was done in Paperless"),
    },
    "Write to Paperless": {
        "apply": ("paperless:apply", "Write tags, links and the saved view, or remove them"),
        "merge": ("paperless:merge", "Copy tags to one document, move its copies to the trash"),
        "consume": ("paperless:consume", "Process one new document"),
        "inbox": ("paperless:inbox", "Show what is waiting, and what failed and why"),
    },
    "Tell people": {
        "notify": ("notify:notify", "Show which notifications wait; --test tries the addresses"),
    },
    "Back up and export": {
        "backup": ("backup:backup", "Save library, decisions and settings to one file"),
        "restore": ("backup:restore", "Check a backup; restore it with --yes"),
        "export": ("explain:export", "Write pairs or groups as CSV, decisions as JSON lines"),
        "decisions": ("explain:decisions", "Import exported decisions"),
        "migrate": ("explain:migrate", "Copy the library to another store"),
    },
}


class _Commands(Group):
    lazy: Mapping[str, str] = {
        name: where for section in _SECTIONS.values() for name, (where, _) in section.items()
    }

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, self.lazy))
        for heading, commands in _SECTIONS.items():
            with formatter.section(heading):
                formatter.write_dl([(n.ljust(width), told) for n, (_, told) in commands.items()])


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="paperless-fingerprint")
@shared_options
@click.pass_context
def main(context: click.Context) -> None:
    """Finds duplicates, re-scans, versions and parts in a Paperless-ngx library.

    Results go to stdout, messages and progress to stderr. Exit codes: 0 done, 2 usage,
    3 configuration, 4 Paperless, 5 store, 6 partly done. Shell completion: docs/commands.md.
    """
    # Python looks for cycles after every 700 new values. Ours are frozen and have none, and looking
    # would take a twentieth of the time of an analysis.
    gc.set_threshold(50_000, 20, 100)
    context.ensure_object(Context)
