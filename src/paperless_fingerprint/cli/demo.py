"""The command `demo`: the whole thing on a sample library, in a folder of its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from paperless_fingerprint.cli.context import (
    Context,
    command,
    percent,
    print_json,
    print_table,
    progress_bar,
    say,
)
from paperless_fingerprint.cli.look import label

if TYPE_CHECKING:
    from paperless_fingerprint.settings.registry import Settings


@command()
@click.option("--once", is_flag=True, help="Stop when the work is done, without opening the page.")
def demo(context: Context, once: bool, as_json: bool) -> None:
    """Try everything on a sample library. Your own documents are not touched.

    Starts a stand-in Paperless in a temporary folder and uploads about 60 invented letters, bills,
    contracts and their re-scans. Its post-consume hook announces each one, the inbox is worked
    off, and what was found is written to it: tags, links, a saved view. Then the review page shows
    it, until Ctrl-C.
    """
    import tempfile

    from paperless_fingerprint.demo.library import sample_library
    from paperless_fingerprint.demo.run import demo_office, do_inbox, told, upload
    from paperless_fingerprint.library.as_json import pair_json

    settings = context.settings()
    with (
        tempfile.TemporaryDirectory(prefix="paperless-fingerprint-demo-") as folder,
        progress_bar() as progress,
        demo_office(Path(folder), settings, progress) as (paperless, place),
    ):
        documents = sample_library()
        upload(paperless, documents, progress)
        done = do_inbox(place)
        store = place.store
        found = list(store.pairs(at_least=settings.similarity_threshold))
        if as_json:
            print_json(pair_json(pair) for pair in found)
            return
        progress.end()
        say(f"The sample library: {len(documents)} documents, uploaded to a stand-in Paperless. Its hook announced "
            f"{done} of them, and they were compared as they came.")  # fmt: skip
        titles = {document.id: document for document in documents}
        print_table(
            [("what", "left"), ("sure", "right"), ("document", "left"), ("document", "left"),
             ("why", "left")],
            (
                (pair.relation.value, percent(pair.confidence), label(titles, pair.a),
                 label(titles, pair.b), "; ".join(map(str, pair.reasons[:3])))
                for pair in sorted(found, key=lambda p: (p.relation, -p.confidence, p.a, p.b))
            ),
        )  # fmt: skip
        groups = list(store.groups())
        say(
            f"{len(groups)} groups of duplicates and {len(store.chains())} version chains. "
            "Next month's statement, the other person's certificate and the translation are "
            "in the library too, and are not called duplicates."
        )
        print_table(
            [("in Paperless", "left"), ("tags", "left"), ("fields", "left")],
            (
                (f"{shown.id} {shown.title}", ", ".join(shown.tags),
                 ", ".join(f"{name}: {_spelled(value)}" for name, value in shown.fields))
                for shown in told(paperless, documents)
            ),
        )  # fmt: skip
        say(
            "The saved view 'Duplicates' lists them there. Taking a tag off there says: it is none."
        )
        if not once:
            _show_page(place.settings)


def _show_page(settings: Settings) -> None:
    import threading

    from paperless_fingerprint.demo.run import page_open

    try:
        with page_open(settings) as address:
            say(
                f"The review page is at {address} until Ctrl-C. Look, decide, search: all of it is invented."
            )
            threading.Event().wait()
    except ImportError:
        say(
            "With the web parts installed (pip install 'paperless-fingerprint[web]') the demo shows "
            "the review page, too."
        )
    except KeyboardInterrupt:
        say("The page is closed, and the sample library is gone.")


def _spelled(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
