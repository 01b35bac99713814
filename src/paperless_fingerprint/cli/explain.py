"""Commands that explain and carry away: compare, tune, export, migrate."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import groupby
from pathlib import Path
from typing import IO

import click

from paperless_fingerprint.cli.context import (
    Context,
    command,
    console,
    percent,
    print_json,
    print_table,
    printable,
    progress_bar,
    say,
)
from paperless_fingerprint.cli.look import label
from paperless_fingerprint.comparison.wording import Change
from paperless_fingerprint.errors import UsageError


@command()
@click.argument("a", type=int)
@click.argument("b", type=int)
def compare(context: Context, a: int, b: int, as_json: bool) -> None:
    """Compare documents A and B: scores, reasons, and what differs in their texts.

    [-A-] stands in A only and {+B+} in B only; what is more than misread letters is marked with
    '!' and in colour.
    """
    from rich.text import Text

    with context.library() as library:
        found = library.compare(a, b)
    if as_json:
        print_json([found.as_json()])
        return
    pair = found.comparison.pair
    titles = {found.a.id: found.a, found.b.id: found.b}
    print_table(
        [(f"{label(titles, pair.a)}  /  {label(titles, pair.b)}", "left"), ("", "left")],
        [
            ("relation", f"{pair.relation.value}, {percent(pair.confidence)} sure"),
            *(("", str(reason)) for reason in pair.reasons),
            ("score", percent(pair.scores.score)),
            *(
                (name, percent(figure))
                for name, figure in (
                    ("jaccard", pair.scores.jaccard),
                    (f"of {pair.a} found in {pair.b}", pair.scores.containment_ab),
                    (f"of {pair.b} found in {pair.a}", pair.scores.containment_ba),
                    ("fuzzy text", pair.scores.fuzzy),
                    ("metadata", pair.scores.metadata),
                    ("title", pair.scores.title),
                    ("facts kept", pair.scores.facts),
                )
                if figure is not None
            ),
            *(("decided", f"{d.verdict.value} by {d.by} at {d.at}") for d in found.decisions),
        ],
    )
    diff = Text()
    for is_same, run in groupby(found.comparison.changes, lambda change: change.same):
        if is_same:
            diff.append(_shortened(_lines("".join(change.a for change in run))))
            continue
        for change in run:
            shown, end = _differing(change)
            diff.append(shown, style="bold red" if change.matters else "dim").append(end)
    console().print(diff)


def _differing(change: Change) -> tuple[str, str]:
    """What stands for it, and the end of its line, which does not stand within the brackets."""
    mark = "!" if change.matters else ""
    left, right = _lines(change.a), _lines(change.b)
    shown = f"[-{mark}{left.rstrip()}-]" if left else ""
    shown += f"{{+{mark}{right.rstrip()}+}}" if right else ""
    last = right or left
    return shown, last[len(last.rstrip()) :]


def _lines(text: str) -> str:
    return "\n".join(map(printable, text.split("\n")))


def _shortened(text: str, most: int = 400) -> str:
    if len(text) <= most:
        return text
    begin, end = text[: most // 2], text[-most // 2 :]
    if "\n" in begin and "\n" in end:
        begin, end = begin[: begin.rindex("\n") + 1], end[end.index("\n") :]
    return f"{begin}…{end}"


_threshold = click.FloatRange(0, 1)


@command()
@click.option("--similarity-threshold", type=_threshold, help="Lowest confidence of a pair.")
@click.option(
    "--near", type=_threshold, help="Jaccard from which text alone may make a pair 'near'."
)
@click.option(
    "--version",
    "version_",
    type=_threshold,
    help="Jaccard from which text alone may make a pair a 'version'.",
)
@click.option("--semantic", is_flag=True, help="Fit the semantic scale to your decisions.")
@click.option("--keep", is_flag=True, help="With --semantic: use the new scale from now on.")
def tune(
    context: Context,
    semantic: bool,
    keep: bool,
    similarity_threshold: float | None,
    near: float | None,
    version_: float | None,
    as_json: bool,
) -> None:
    """Show what other thresholds would add and remove. Nothing is computed again or changed."""
    from paperless_fingerprint.library.thresholds import Thresholds, tune

    if semantic:
        _tune_semantic(context, keep=keep, as_json=as_json)
        return
    settings = context.settings()
    now = Thresholds.of(settings)
    then = Thresholds(
        now.similarity if similarity_threshold is None else similarity_threshold,
        now.near if near is None else near,
        now.version if version_ is None else version_,
    )
    with context.library() as library:
        found = tune(library.store, settings, then)
        titles = library.titles(i for p in (*found.added, *found.removed) for i in (p.a, p.b))
    if as_json:
        print_json([found.as_json()])
        return
    print_table(
        [("similarity_threshold", "right"), ("pairs", "right"), ("groups", "right"),
         ("documents in them", "right"), ("", "left")],
        [
            (f"{level.similarity_threshold:g}", f"{level.pairs:,}", f"{level.groups:,}",
             f"{level.documents:,}", "now" if level.similarity_threshold == now.similarity else "")
            for level in found.levels
        ],
    )  # fmt: skip
    if then == now:
        say("Name a threshold, such as --similarity-threshold 0.85, to see what would change.")
        return
    say(f"It would add {len(found.added):,} pairs and remove {len(found.removed):,}.")
    print_table(
        [("", "left"), ("relation", "left"), ("sure", "right"), ("document", "left"),
         ("document", "left")],
        [
            (word, pair.relation.value, percent(pair.confidence), label(titles, pair.a),
             label(titles, pair.b))
            for word, pairs in (("add", found.added), ("remove", found.removed))
            for pair in pairs[:50]
        ],
    )  # fmt: skip


def _tune_semantic(context: Context, *, keep: bool, as_json: bool) -> None:
    from paperless_fingerprint.semantic.thresholds import tune
    from paperless_fingerprint.stores.opening import open_vectors

    with context.library() as library, closing(open_vectors(library.store)) as vectors:
        found = tune(library.store, vectors, library.settings, keep=keep)
    if as_json:
        print_json([found.as_json()])
    else:
        say(found.in_words())


@command(json=False)
@click.argument(
    "what", type=click.Choice(["pairs", "groups", "uncompared", "decisions", "signatures"])
)
@click.option(
    "--output", "-o", type=click.Path(path_type=Path), help="Write to this file instead of stdout."
)
def export(context: Context, what: str, output: Path | None) -> None:
    """Write pairs, groups or what could not be compared as CSV; as JSON lines decisions, which 'decisions' reads back, or
    MinHash signatures, which datasketch.LeanMinHash takes."""
    from paperless_fingerprint.library import export as exporting
    from paperless_fingerprint.library.signatures import write_signatures

    with context.library() as library, _opened(output) as file:
        if what == "pairs":
            count = exporting.write_pairs(library.store, library.settings, file)
        elif what == "groups":
            count = exporting.write_groups(library.store, file)
        elif what == "uncompared":
            count = exporting.write_uncompared(library.store, file)
        elif what == "signatures":
            count = write_signatures(library.store, library.settings.spec(), file)
        else:
            count = exporting.write_decisions(library.store, file)
    say(f"Wrote {count:,} rows{f' to {output}' if output else ''}.")


@command(json=False)
@click.argument("file", type=click.File("r", encoding="utf-8"))
def decisions(context: Context, file: IO[str]) -> None:
    """Import decisions that 'export decisions' wrote. The newest decision on a pair counts."""
    from paperless_fingerprint.library import export as exporting

    with context.library() as library:
        count = exporting.read_decisions(library.store, library.settings, file)
    say(f"Read {count:,} decisions. 'analyze' brings the pairs into line with them.")


@contextmanager
def _opened(output: Path | None) -> Iterator[IO[str]]:
    if output is None:
        yield sys.stdout
        return
    try:
        # A spreadsheet takes UTF-8 for what it is only with this mark at the beginning.
        with output.open(
            "w", encoding="utf-8-sig" if output.suffix == ".csv" else "utf-8", newline=""
        ) as file:
            yield file
    except OSError as error:
        raise UsageError(f"{output} cannot be written: {error.strerror}.") from error


@command(json=False)
@click.argument("target")
def migrate(context: Context, target: str) -> None:
    """Copy the whole library to the store at TARGET, which must be empty. Nothing is deleted."""
    from paperless_fingerprint.library.migrate import migrate
    from paperless_fingerprint.settings.addresses import without_password

    there = Context({**context.flags, "store": target}, context.config)
    with (
        progress_bar() as progress,
        context.library() as library,
        there.library(create=True) as other,
    ):
        count = migrate(library.store, other.store, progress)
    say(
        f"Copied {count:,} documents with all results to {without_password(target)}. Set 'store' "
        "to it to use it."
    )
