"""Commands that fill the library: import, analyze."""

from __future__ import annotations

from pathlib import Path

import click

from paperless_fingerprint.cli.context import Context, command, print_json, progress_bar, say
from paperless_fingerprint.errors import PartlyDone, UsageError


@command("import")
@click.argument("file", type=click.Path(path_type=Path))
def import_(context: Context, file: Path, as_json: bool) -> None:
    """Import documents from FILE, one JSON object per line; '-' is stdin.

    Keys: id, title, content, correspondent, document_type, created, added, modified, tags,
    original_filename, page_count, file_size, checksum, uuid, archive_serial_number, owner,
    viewers. All but id and content are optional, others are ignored. A line that cannot be read
    is named, and the rest goes on.
    """
    try:
        source = click.open_file(str(file), "rb")
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}.") from error
    with source, progress_bar() as progress, context.library(progress, create=True) as library:
        report = library.import_lines(source)
    if as_json:
        print_json([report.as_json()])
    else:
        say(report.in_words())
    if report.bad:
        raise PartlyDone(
            f"{len(report.bad):,} lines of {file} were left out, as said above; the rest is in. "
            "Fix them and import the file again; what is already there is skipped."
        )


@command()
@click.option("--full", is_flag=True, help="Compare everything again, not only what has changed.")
@click.option(
    "--settle",
    is_flag=True,
    help="Compare everything again if documents were added one by one, so that their order does not matter.",
)
def analyze(context: Context, full: bool, settle: bool, as_json: bool) -> None:
    """Find duplicates, versions and parts, and store them.

    Only what is new or has changed since the last time; --full does everything again. A run that
    was stopped goes on where it was. Where [semantic] enabled is true, missing embeddings are
    computed first.
    """
    with progress_bar() as progress, context.library(progress) as library:
        report = library.analyse(full=full, settle=settle)
    if as_json:
        print_json([report.as_json()])
    else:
        say(report.in_words())
