"""Commands that look at results: pairs, groups, show."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

import click

from paperless_fingerprint.cli.context import (
    Context,
    json_option,
    limit_option,
    percent,
    print_json,
    print_table,
    say,
    shared_options,
)
from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.model import STORED_RELATIONS, Document, Relation

_TABLE_ROWS = 100

relation_option = click.option(
    "--relation",
    type=click.Choice(sorted(relation.value for relation in STORED_RELATIONS)),
    help="Only pairs of this relation.",
)


@click.command()
@relation_option
@limit_option
@shared_options
@json_option
@click.pass_obj
def pairs(context: Context, relation: str | None, limit: int | None, as_json: bool) -> None:
    """Show the stored pairs, surest first.

    As a table the first 100 unless --limit says otherwise; as JSON all of them.
    """
    from paperless_fingerprint.library.as_json import pair_json

    settings = context.settings()
    with context.store() as store:
        found = store.pairs(
            relation=Relation(relation) if relation else None,
            at_least=settings.similarity_threshold,
            limit=limit,
        )
        if as_json:
            print_json(pair_json(pair) for pair in found)
            return
        rows = list(islice(found, limit if limit is not None else _TABLE_ROWS + 1))
        more = limit is None and len(rows) > _TABLE_ROWS
        rows = rows[: limit if limit is not None else _TABLE_ROWS]
        titles = store.metadata({id for pair in rows for id in (pair.a, pair.b)})
        print_table(
            [("relation", "left"), ("sure", "right"), ("score", "right"), ("document", "left"),
             ("document", "left"), ("why", "left")],
            (
                (pair.relation.value, percent(pair.confidence), percent(pair.scores.score),
                 label(titles, pair.a), label(titles, pair.b), "; ".join(pair.reasons[:3]))
                for pair in rows
            ),
        )  # fmt: skip
        if not rows:
            say("No pairs. 'paperless-fingerprint analyze' looks for them.")
        if more:
            say(f"The {_TABLE_ROWS} surest pairs. --limit N shows more, --json all of them.")


@click.command()
@relation_option
@limit_option
@shared_options
@json_option
@click.pass_obj
def groups(context: Context, relation: str | None, limit: int | None, as_json: bool) -> None:
    """Show the groups of duplicates, surest first, with the one to keep."""
    from paperless_fingerprint.library.as_json import group_json

    with context.store() as store:
        found = store.groups(relation=Relation(relation) if relation else None, limit=limit)
        if as_json:
            print_json(group_json(group) for group in found)
            return
        rows = list(islice(found, limit if limit is not None else _TABLE_ROWS))
        titles = store.metadata({id for group in rows for id in group.members[:20]})
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


@click.command()
@click.argument("id", type=int)
@shared_options
@json_option
@click.pass_obj
def show(context: Context, id: int, as_json: bool) -> None:
    """Show all that is known about document ID: metadata, fingerprint, pairs, group, versions."""
    from paperless_fingerprint.library import as_json as shown

    settings = context.settings()
    with context.store() as store:
        record = store.get([id]).get(id)
        if record is None:
            raise UsageError(
                f"There is no document {id} in the library. 'paperless-fingerprint sync' or "
                "'import' brings new ones."
            )
        pairs = list(store.pairs(ids=[id], at_least=settings.similarity_threshold))
        groups = list(store.groups(ids=[id]))
        chains = store.chains([id])
        decisions = store.decisions([id])
        candidates = store.candidates(
            record.fingerprint, checksum=record.document.checksum, excluding=id
        )
        waiting = any(item.id == id for item in store.pending())
        language = ""
        if settings.semantic.enabled:
            from paperless_fingerprint.library.semantic import language_of

            language = language_of(store, settings, id)
        if as_json:
            print_json(
                [
                    shown.document_json(record.document)
                    | {
                        "fingerprint": shown.fingerprint_json(record.fingerprint),
                        "pairs": [shown.pair_json(pair) for pair in pairs],
                        "group": shown.group_json(groups[0]) if groups else None,
                        "version_chain": shown.chain_json(chains[0]) if chains else None,
                        "decisions": [shown.decision_json(decision) for decision in decisions],
                        "candidates": [shown.candidate_json(c) for c in candidates],
                        "language": language or None,
                        "pending": waiting,
                    }
                ]
            )
            return
        titles = store.metadata({each for pair in pairs for each in (pair.a, pair.b)})
    taken = record.fingerprint
    facts = [
        ("title", record.document.title),
        ("correspondent", record.document.correspondent or ""),
        ("type", record.document.document_type or ""),
        ("created", record.document.created or ""),
        ("uuid", record.document.uuid),
        ("words", f"{taken.words:,}, {taken.shingles:,} distinct shingles"),
        ("text hash", taken.text_hash or "no text"),
        (
            "sketch",
            f"{len(taken.sketch) // 8} hashes at level {taken.level}, {len(taken.bands) // 4} bands",
        ),
        ("group", f"{groups[0].id}, keep {groups[0].primary}" if groups else "none"),
        ("versions", " → ".join(map(str, chains[0].members)) if chains else "none"),
        ("analysis", "waiting; 'analyze' does it" if waiting else "done"),
    ]  # fmt: skip
    if settings.semantic.enabled:
        from paperless_fingerprint.semantic.language import named

        facts.insert(5, ("language", named(language) if language else "not told yet"))
    print_table([(f"document {id}", "left"), ("", "left")], facts)
    if pairs:
        print_table(
            [("relation", "left"), ("sure", "right"), ("with", "left"), ("why", "left")],
            (
                (pair.relation.value, percent(pair.confidence),
                 label(titles, pair.b if pair.a == id else pair.a), "; ".join(pair.reasons))
                for pair in pairs
            ),
        )  # fmt: skip


def label(documents: Mapping[int, Document], id: int) -> str:
    document = documents.get(id)
    return f"{id} {document.title}" if document else str(id)


def _listed(ids: list[int], titles: Mapping[int, Document]) -> str:
    shown = ", ".join(label(titles, id) for id in ids[:5])
    return shown if len(ids) <= 5 else f"{shown} and {len(ids) - 5:,} more"
