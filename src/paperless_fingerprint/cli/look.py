"""Commands that look at results: pairs, groups, show, uncompared."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

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
from paperless_fingerprint.library.uncompared import Reason
from paperless_fingerprint.model import STORED_RELATIONS, Document

_TABLE_ROWS = 100

relation_option = click.option(
    "--relation",
    type=click.Choice(sorted(relation.value for relation in STORED_RELATIONS)),
    help="Only pairs with this relation.",
)


@command()
@relation_option
@limit_option
def pairs(context: Context, relation: str | None, limit: int | None, as_json: bool) -> None:
    """List the pairs, best match first.

    As a table the first 100 unless --limit says otherwise; as JSON all of them.
    """
    from paperless_fingerprint.library.as_json import pair_json

    with context.library() as library:
        found = library.pairs(relation=relation, limit=limit)
        if as_json:
            print_json(pair_json(pair) for pair in found)
            return
        rows = list(islice(found, limit if limit is not None else _TABLE_ROWS + 1))
        more = limit is None and len(rows) > _TABLE_ROWS
        rows = rows[: limit if limit is not None else _TABLE_ROWS]
        titles = library.titles(id for pair in rows for id in (pair.a, pair.b))
        print_table(
            [("relation", "left"), ("sure", "right"), ("score", "right"), ("document", "left"),
             ("document", "left"), ("why", "left")],
            (
                (pair.relation.value, percent(pair.confidence), percent(pair.scores.score),
                 label(titles, pair.a), label(titles, pair.b), "; ".join(map(str, pair.reasons[:3])))
                for pair in rows
            ),
        )  # fmt: skip
        if not rows:
            say("No pairs. 'paperless-fingerprint analyze' looks for them.")
        if more:
            say(f"The {_TABLE_ROWS} best matches. --limit N shows more, --json all of them.")


@command()
@relation_option
@limit_option
def groups(context: Context, relation: str | None, limit: int | None, as_json: bool) -> None:
    """List the groups of duplicates, best match first, with the one to keep."""
    from paperless_fingerprint.library.as_json import group_json

    with context.library() as library:
        found = library.groups(relation=relation, limit=limit)
        if as_json:
            print_json(group_json(group) for group in found)
            return
        rows = list(islice(found, limit if limit is not None else _TABLE_ROWS))
        titles = library.titles(id for group in rows for id in group.members[:20])
        print_table(
            [("group", "left"), ("relation", "left"), ("sure", "right"), ("keep", "left"),
             ("duplicates", "left")],
            (
                (group.id, group.relation.value, percent(group.confidence),
                 label(titles, group.primary),
                 _listed([id for id in group.members if id != group.primary], titles))
                for group in rows
            ),
        )  # fmt: skip
        if not rows:
            say("No groups. 'paperless-fingerprint analyze' makes them.")


@command()
@click.argument("id", type=int)
def show(context: Context, id: int, as_json: bool) -> None:
    """Show everything known about document ID: metadata, fingerprint, pairs, group, versions."""
    with context.library() as library:
        found = library.about(id)
        if as_json:
            print_json([found.as_json()])
            return
        titles = library.titles(each for pair in found.pairs for each in (pair.a, pair.b))
        is_semantic = library.settings.semantic.enabled
    document, taken, group = found.document, found.fingerprint, found.group
    facts = [
        ("title", document.title),
        ("correspondent", document.correspondent or ""),
        ("type", document.document_type or ""),
        ("created", document.created or ""),
        ("uuid", document.uuid),
        ("words", f"{taken.words:,}, {taken.shingles:,} distinct shingles"),
        ("text hash", taken.text_hash or "no text"),
        (
            "sketch",
            f"{len(taken.sketch) // 8} hashes at level {taken.level}, {len(taken.bands) // 4} bands",
        ),
        ("group", f"{group.id}, keep {group.primary}" if group else "none"),
        ("versions", " → ".join(map(str, found.versions.members)) if found.versions else "none"),
        ("analysis", "waiting; 'analyze' does it" if found.is_pending else "done"),
    ]
    if is_semantic:
        from paperless_fingerprint.semantic.language import named

        facts.insert(5, ("language", named(found.language) if found.language else "not told yet"))
    print_table([(f"document {id}", "left"), ("", "left")], facts)
    if found.pairs:
        print_table(
            [("relation", "left"), ("sure", "right"), ("with", "left"), ("why", "left")],
            (
                (pair.relation.value, percent(pair.confidence),
                 label(titles, pair.b if pair.a == id else pair.a), "; ".join(map(str, pair.reasons)))
                for pair in found.pairs
            ),
        )  # fmt: skip


@command()
@click.option(
    "--reason",
    type=click.Choice([reason.value for reason in Reason]),
    help="Only those that could not be compared for this reason.",
)
@limit_option
def uncompared(context: Context, reason: str | None, limit: int | None, as_json: bool) -> None:
    """List the documents that could not be compared, why, and what to do.

    'export uncompared' writes all of them as CSV.
    """
    from paperless_fingerprint.library import uncompared as listing

    with context.library() as library:
        every = listing.uncompared(library.store)
    found = [each for each in every if reason in {None, each.reason.value}]
    if as_json:
        print_json(each.as_json() for each in found[:limit])
        return
    shown = found[: _TABLE_ROWS if limit is None else limit]
    if shown:
        print_table(
            [("id", "right"), ("title", "left"), ("words", "right"), ("why", "left")],
            (
                (str(each.id), each.document.title if each.document else "", str(each.words),
                 each.detail or listing.MEANING[each.reason])
                for each in shown
            ),
        )  # fmt: skip
    for each in dict.fromkeys(each.reason for each in shown):
        count = sum(1 for one in found if one.reason is each)
        say(f"{count:,}: {listing.MEANING[each]}. {listing.ADVICE[each]}")
    if not found:
        say("Every document has enough text to be compared.")
    elif len(shown) < len(found):
        say(f"{len(shown):,} of {len(found):,}. --limit N shows more, --json all of them.")


def label(documents: Mapping[int, Document], id: int) -> str:
    document = documents.get(id)
    return f"{id} {document.title}" if document else str(id)


def _listed(ids: list[int], titles: Mapping[int, Document]) -> str:
    shown = ", ".join(label(titles, id) for id in ids[:5])
    return shown if len(ids) <= 5 else f"{shown} and {len(ids) - 5:,} more"
