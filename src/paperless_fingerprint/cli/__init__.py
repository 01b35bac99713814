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
