"""The command `paperless-fingerprint`. Each command lives in a module that is loaded when used."""

from __future__ import annotations

import gc
from collections.abc import Mapping

import click

from paperless_fingerprint import __version__
from paperless_fingerprint.cli.context import Context, Group, shared_options


class _Commands(Group):
    lazy: Mapping[str, str] = {
        "analyze": "library:analyze",
        "apply": "paperless:apply",
        "backup": "backup:backup",
        "compare": "explain:compare",
        "config": "setup:config",
        "confirm": "decide:confirm",
        "consume": "paperless:consume",
        "decisions": "explain:decisions",
        "demo": "demo:demo",
        "dismiss": "decide:dismiss",
        "doctor": "setup:doctor",
        "export": "explain:export",
        "groups": "look:groups",
        "import": "library:import_",
        "inbox": "paperless:inbox",
        "merge": "paperless:merge",
        "migrate": "explain:migrate",
        "pairs": "look:pairs",
        "primary": "decide:primary",
        "related": "search:related",
        "restore": "backup:restore",
        "search": "search:search",
        "serve": "paperless:serve",
        "show": "look:show",
        "sync": "paperless:sync",
        "tune": "explain:tune",
        "undo": "decide:undo",
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
    3 configuration, 4 Paperless, 5 store, 6 partly done.
    """
    # Python looks for cycles after every 700 new values. Ours are frozen and have none, and looking
    # would take a twentieth of the time of an analysis.
    gc.set_threshold(50_000, 20, 100)
    context.ensure_object(Context)
