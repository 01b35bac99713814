"""Commands that keep a library safe: backup, restore."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from paperless_fingerprint.cli.context import Context, command, print_json, progress_bar, say

if TYPE_CHECKING:
    from paperless_fingerprint.library.backup import Restoration


@command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--overwrite", is_flag=True, help="Replace FILE, once the new one is complete.")
def backup(context: Context, file: Path, overwrite: bool, as_json: bool) -> None:
    """Save library, decisions, pending work and settings without secrets to FILE, a zip.

    All is as it is at one moment; `serve` and others work on meanwhile. A library in Elasticsearch
    is copied document by document and waits for that: for a large one use snapshots of
    Elasticsearch.
    """
    from paperless_fingerprint.library.backup import back_up

    with progress_bar() as progress:
        made = back_up(context.settings(), file, progress, overwrite=overwrite)
    if as_json:
        print_json([made.as_json()])
    else:
        say(
            f"Wrote {file} ({file.stat().st_size / 1e6:,.1f} MB): {', '.join(made.parts)}. "
            "'restore' shows what is in it."
        )


@command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--yes", is_flag=True, help="Do it; without --yes you only see what it would do.")
@click.option(
    "--overwrite", is_flag=True, help="Move what is already there aside; nothing is deleted."
)
def restore(context: Context, file: Path, yes: bool, overwrite: bool, as_json: bool) -> None:
    """Check the backup FILE and show what is in it; with --yes restore it.

    --store names where that is, also an empty Elasticsearch. Settings are not changed: those that
    differ are named, and settings.toml in the zip has them.
    """
    from paperless_fingerprint.library import backup as backups

    with progress_bar() as progress:
        done = backups.restore(context.settings(), file, progress, yes=yes, overwrite=overwrite)
    if as_json:
        print_json([done.as_json() | {"restored": yes}])
    else:
        _show(done, yes=yes)


def _show(done: Restoration, *, yes: bool) -> None:
    made, counts = done.backup, done.counts
    click.echo(
        f"{made.path} is sound: {counts.documents:,} documents, {counts.pairs:,} pairs, "
        f"{counts.groups:,} groups, {counts.decisions:,} decisions, of {made.at[:19]}Z, by version "
        f"{made.program}."
    )
    for key, (then, now) in done.settings.items():
        click.echo(f"Setting {key} was {'not set' if then is None else then}; now it is "
            f"{'not set' if now is None else now}.")  # fmt: skip
    if yes:
        for path in done.moved:
            say(f"What was there is now {path}.")
        say(f"Restored to {done.target}.")
        return
    for path in done.present:
        click.echo(f"{path} is there and would be moved aside, which needs --overwrite.")
    say(f"Nothing was changed; --yes restores it to {done.target}.")
