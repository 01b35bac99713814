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
        "demo": ("demo:demo", "Show all of it on a sample library; nothing of yours is touched"),
        "doctor": ("setup:doctor", "Check settings, store and connections; say what to do"),
        "config": ("setup:config", "Show the settings and where each came from"),
        "serve": ("paperless:serve", "Run the page, the HTTP API and the worker behind them"),
    },
    "Fill the library": {
        "sync": ("paperless:sync", "Fetch new and changed documents from Paperless"),
        "import": ("library:import_", "Take documents from JSON lines"),
        "analyze": ("library:analyze", "Find duplicates, versions and parts"),
    },
    "Look": {
        "groups": ("look:groups", "List the groups of duplicates, surest first"),
        "pairs": ("look:pairs", "List the pairs, surest first"),
        "show": ("look:show", "Show all that is known about one document"),
        "compare": ("explain:compare", "Explain what two documents are to each other"),
        "search": ("search:search", "Find documents by words and by likeness"),
        "uncompared": ("look:uncompared", "List what could not be compared, and what to do"),
        "related": ("search:related", "Walk from a document to those like it"),
        "tune": ("explain:tune", "Show what other thresholds would add and remove"),
    },
    "Decide": {
        "confirm": ("decide:confirm", "Say that two documents are duplicates"),
        "dismiss": ("decide:dismiss", "Say that two documents are no duplicates"),
        "primary": ("decide:primary", "Say which document of a group is to be kept"),
        "undo": ("decide:undo", "Take back what was said, or done in Paperless"),
    },
    "Tell Paperless": {
        "apply": ("paperless:apply", "Write tags, links and the saved view, or take them back"),
        "merge": ("paperless:merge", "Carry tags over to one document, trash its copies"),
        "consume": ("paperless:consume", "Do what happens for one new document"),
        "inbox": ("paperless:inbox", "Show what waits, and what failed and why"),
    },
    "Tell people": {
        "notify": ("notify:notify", "Show which notifications wait; --test tries the addresses"),
    },
    "Save and move": {
        "backup": ("backup:backup", "Put library, decisions and settings into one file"),
        "restore": ("backup:restore", "Check a backup; put it back with --yes"),
        "export": ("explain:export", "Write pairs or groups as CSV, decisions as JSON lines"),
        "decisions": ("explain:decisions", "Read exported decisions back"),
        "migrate": ("explain:migrate", "Copy the library to another store"),
    },
}


class _Commands(Group):
    lazy: Mapping[str, str] = {
        name: where for section in _SECTIONS.values() for name, (where, _) in section.items()
    }
    #: The first sentences of their descriptions, as the list of commands shows them: to load all of
    #: the commands for these would take as long again.
    told: Mapping[str, str] = {
        "analyze": "Find candidates, compare them, and store what they are to each other.",
        "apply": "Write what was found to Paperless: tags, links, the saved view.",
        "backup": "Put the library, decisions, what waits and the settings without secrets into FILE, a zip.",
        "compare": "Explain what documents A and B are to each other: scores, reasons, and a word diff.",
        "config": "Look at the settings.",
        "confirm": "Documents A and B are what they were found to be; where nothing was found, duplicates.",
        "consume": "Do what happens for one document: fetch it, compare it, tell Paperless.",
        "decisions": "Read decisions back that 'export decisions' wrote.",
        "demo": "Show on a sample library what duplicates look like.",
        "dismiss": "Documents A and B are no duplicates.",
        "doctor": "Check settings, store and connections, and say what to do.",
        "export": "Write pairs or groups as CSV; as JSON lines decisions, which 'decisions' reads back, or MinHash signatures, which datasketch.LeanMinHash takes.",
        "groups": "Show the groups of duplicates, surest first, with the one to keep.",
        "import": "Take documents from FILE, one JSON object a line; '-' is stdin.",
        "inbox": "Show what waits to be done, and what failed and why.",
        "merge": "Carry tags and fields of COPIES over to PRIMARY, and move the copies to Paperless's trash.",
        "migrate": "Copy the whole library to the store at TARGET, which must be empty.",
        "pairs": "Show the stored pairs, surest first.",
        "primary": "Document ID is the one to keep of its group.",
        "related": "Walk from document ID to those like it, and on from these.",
        "restore": "Check the backup FILE and show what is in it; with --yes put it where the library belongs.",
        "search": "Find documents: full text, and FINGERPRINT:<id>_<overlap %>_<probability %>.",
        "serve": "Run the page, the HTTP API and the worker: review, search, inbox, periodic sync.",
        "show": "Show all that is known about document ID: metadata, fingerprint, pairs, group, versions.",
        "sync": "Fetch new and changed documents from Paperless, and notice deleted ones.",
        "tune": "Show what other thresholds would add and remove.",
        "undo": "Take back what was said about two documents, or without ids what was said last.",
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
