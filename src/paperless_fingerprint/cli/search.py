"""Commands that ask: search, related."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from paperless_fingerprint.cli.context import (
    Context,
    command,
    limit_option,
    percent,
    print_json,
    print_table,
    say,
)

if TYPE_CHECKING:
    from paperless_fingerprint.library.search import Look, Shown

_TABLE_ROWS = 25
_SORTS = ("best", "containment", "jaccard", "within", "created", "added", "pages", "id")


@command()
@click.argument("query")
@click.option("--explain", is_flag=True, help="Show the query to the store, and stop.")
@click.option("--include-history", is_flag=True, help="Include older versions.")
@limit_option
@click.option("--offset", type=click.IntRange(min=0), default=0, metavar="N", help="Skip N hits.")
@click.option(
    "--after",
    default="",
    metavar="PLACE",
    help="Continue after this place, as the last page named it.",
)
@click.option(
    "--all", "verify_all", is_flag=True, help="Check every possible match, not the best 1000."
)
@click.option("--sort", type=click.Choice(_SORTS), default="best", show_default=True)
@click.option("--passages", is_flag=True, help="Show the passages that were found.")
def search(
    context: Context,
    query: str,
    explain: bool,
    include_history: bool,
    limit: int | None,
    offset: int,
    after: str,
    verify_all: bool,
    sort: str,
    passages: bool,
    as_json: bool,
) -> None:
    """Search documents by words, and by FINGERPRINT:<id>_<overlap %>_<probability %>.

    \b
    invoice AND (march OR april) -reminder     title:contract created:[2023 TO 2024]
    FINGERPRINT:1234          any overlap with document 1234
    FINGERPRINT:1234_20       at least 20 % of its text is found in the hit
    FINGERPRINT:1234_20_80    the same, faster, found with 80 %
    SIMILAR:1234_60           60 % of both texts together are shared
    WITHIN:1234_90            90 % of the hit is found in document 1234

    As a table the first 25 unless --limit says otherwise; as JSON all of them. docs/query.md has
    the whole language.
    """
    from paperless_fingerprint.query.searcher import TIME_LIMIT_SECONDS

    # Somebody who asks for everything expects to wait.
    whole = verify_all or (as_json and limit is None)
    rows = limit if limit is not None or as_json else _TABLE_ROWS
    with context.library() as library:
        if explain:
            plan = library.explain(query, limit=rows, include_history=include_history)
            _print_plan(plan, as_json=as_json)
            return
        look = library.look(
            query, limit=rows, offset=offset, after=after, sort=sort,
            include_history=include_history, verify_all=verify_all,
            time_limit_seconds=None if whole else TIME_LIMIT_SECONDS, passages=passages,
        )  # fmt: skip
    answer = look.answer
    for note in answer.notes:
        say(note)
    if as_json:
        print_json(
            hit.as_json()
            | ({"passages": asdict(look.shown[hit.id])} if hit.id in look.shown else {})
            for hit in answer.hits
        )
    else:
        _print_hits(look)
    for offer in look.offers:
        said = "; ".join(
            f"{how}: {', '.join(each.word for each in words)}"
            for how, words in (("spelled nearly so", offer.near), ("longer", offer.containing))
            if words
        )
        say(f"No document has '{offer.word}'. Words of this library, {said}.")


def _print_hits(look: Look) -> None:
    answer = look.answer
    is_alike = any(hit.jaccard is not None for hit in answer.hits)
    columns = [("id", "right"), ("title", "left")]
    if is_alike:
        columns += [("in the hit", "right"), ("of the hit", "right"), ("jaccard", "right")]
    else:
        columns += [("score", "right")]
    if look.shown:
        columns.append(("found", "left"))
    rows = []
    for hit in answer.hits:
        title = hit.title if hit.is_latest else f"{hit.title} (older version)"
        figures = (
            [percent(hit.containment), percent(hit.reverse_containment), percent(hit.jaccard)]
            if is_alike
            else ["" if hit.score is None else f"{hit.score:.2f}"]
        )
        rows.append(
            [str(hit.id), title, *figures, *([_told(look.shown[hit.id])] if look.shown else [])]
        )
    if rows:
        print_table(columns, rows)
    total = f"{answer.total:,}" if answer.total_is_exact else f"at least {answer.total:,}"
    say(f"{len(answer.hits):,} of {total} found.")
    if answer.next:
        say(f"--after {answer.next} shows the next ones.")


def _told(shown: Shown) -> str:
    """What was found stands between angle brackets."""
    return "  ".join(
        "".join(f"«{piece.text}»" if piece.found else piece.text for piece in passage.pieces)
        for passage in (*shown.shared, *shown.found)
    )


def _print_plan(plan: dict[str, Any], *, as_json: bool) -> None:
    from paperless_fingerprint.query.explanation import in_words

    if as_json:
        print_json([plan])
        return
    for term in plan["terms"]:
        for line in in_words(term):
            click.echo(line)
    asked = plan["request"]
    if "sql" in asked:
        click.echo("\nFor the sqlite3 shell:\n" + asked["sql"])
    else:
        first = asked["request"].splitlines()[0]
        click.echo("\nFor Kibana:\n" + first)
        click.echo(json.dumps(asked["dsl"], ensure_ascii=False, indent=1))
    for note in plan["notes"]:
        say(note)


@command()
@click.argument("document", metavar="ID")
@click.option("--depth", default=2, show_default=True, help="How many steps to follow, 1 to 10.")
@click.option(
    "--max-distance",
    default=0.5,
    show_default=True,
    help="The longest step, from 0 (the same text) to 1 (anything shared).",
)
@click.option("--include-history", is_flag=True, help="Include older versions.")
@limit_option
def related(
    context: Context,
    document: str,
    depth: int,
    max_distance: float,
    include_history: bool,
    limit: int | None,
    as_json: bool,
) -> None:
    """List documents similar to document ID, step by step.

    ID is the Paperless id, the UUID, or the document's address. The distance is 1 - jaccard.
    """
    with context.library() as library:
        graph = library.related(
            document, depth=depth, max_distance=max_distance, limit=limit,
            include_history=include_history,
        )  # fmt: skip
    for note in graph.notes:
        say(note)
    if as_json:
        print_json(link.as_json() for link in graph.links)
        return
    if graph.links:
        print_table(
            [("depth", "right"), ("id", "right"), ("title", "left"), ("from", "right"),
             ("distance", "right"), ("jaccard", "right")],
            (
                [str(link.depth), str(link.id), link.title, str(link.via),
                 f"{link.distance:.2f}", percent(link.jaccard)]
                for link in graph.links
            ),
        )  # fmt: skip
    many = f"{len(graph.links):,} documents reached"
    say(
        f"{many}."
        if graph.is_complete
        else f"{many}; there are more, only the most similar were followed."
    )
