"""The command `demo`: the whole thing on a sample library, in a folder of its own."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from paperless_fingerprint.cli.context import (
    Context,
    json_option,
    percent,
    print_json,
    print_table,
    progress_bar,
    say,
    shared_options,
)
from paperless_fingerprint.cli.look import label


@click.command()
@click.option(
    "--once", is_flag=True, help="End when the work is done, without keeping a page open."
)
@shared_options
@json_option
@click.pass_obj
def demo(context: Context, once: bool, as_json: bool) -> None:
    """Show on a sample library what duplicates look like. No server, nothing of yours is touched.

    Imports about 60 invented letters, bills, contracts and their re-scans into a new library in a
    temporary folder, analyses them, and prints what was found.
    """
    from paperless_fingerprint.analyse import analyse
    from paperless_fingerprint.demo.library import sample_library
    from paperless_fingerprint.intake import take_in
    from paperless_fingerprint.shown import pair_json
    from paperless_fingerprint.stores.sqlite import SqliteStore

    del once  # there is no page to keep open yet
    settings = context.settings()
    with tempfile.TemporaryDirectory(prefix="paperless-fingerprint-demo-") as folder:
        store = SqliteStore(Path(folder) / "library.db")
        try:
            documents = sample_library()
            take_in(store, documents, settings.spec())
            with progress_bar() as progress:
                report = analyse(store, settings, progress)
            found = list(store.pairs(at_least=settings["similarity_threshold"]))
            if as_json:
                print_json(pair_json(pair) for pair in found)
                return
            say(f"The sample library: {len(documents)} documents. {report.in_words()}")
            titles = {document.id: document for document in documents}
            print_table(
                [("what", "left"), ("sure", "right"), ("document", "left"), ("document", "left"),
                 ("why", "left")],
                (
                    (pair.relation.value, percent(pair.confidence), label(titles, pair.a),
                     label(titles, pair.b), "; ".join(pair.reasons[:3]))
                    for pair in sorted(found, key=lambda p: (p.relation, -p.confidence, p.a, p.b))
                ),
            )  # fmt: skip
            groups = list(store.groups())
            say(
                f"{len(groups)} groups of duplicates and {len(store.chains())} version chains. "
                "Next month's statement, the other person's certificate and the translation are "
                "in the library too, and are not called duplicates."
            )
        finally:
            store.close()
