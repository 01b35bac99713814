"""Commands that remember what a person says: dismiss, confirm, primary, undo."""

from __future__ import annotations

import getpass

import click

from paperless_fingerprint.cli.context import Context, command, print_json, progress_bar, say
from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.model import STORED_RELATIONS


def _who() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user need not have a name
        return "command line"


@command()
@click.argument("a", type=int)
@click.argument("b", type=int)
@click.option(
    "--relation",
    type=click.Choice(sorted(relation.value for relation in STORED_RELATIONS)),
    help="They are not this to each other, but may be something else.",
)
def dismiss(context: Context, a: int, b: int, relation: str | None, as_json: bool) -> None:
    """Mark documents A and B as not duplicates, until 'undo'."""
    from paperless_fingerprint.library.as_json import decision_json

    with context.library() as library:
        said = library.dismiss(a, b, by=_who(), relation=relation)
    if as_json:
        print_json([decision_json(said.decision)])
    else:
        say(f"Saved: {a} and {b} are not duplicates. 'undo {a} {b}' undoes it.")


@command()
@click.argument("a", type=int)
@click.argument("b", type=int)
def confirm(context: Context, a: int, b: int, as_json: bool) -> None:
    """Confirm what was found about documents A and B; where nothing was found, that they are duplicates."""
    from paperless_fingerprint.library.as_json import decision_json

    with context.library() as library:
        said = library.confirm(a, b, by=_who())
    if as_json:
        print_json([decision_json(said.decision)])
    else:
        relation = said.pair.relation.value if said.pair else "near"
        say(f"Saved: {a} and {b} are '{relation}'. 'undo {a} {b}' undoes it.")


@command()
@click.argument("id", type=int)
def primary(context: Context, id: int, as_json: bool) -> None:
    """Keep document ID of its group."""
    from paperless_fingerprint.library.as_json import decision_json

    with context.library() as library:
        decision = library.choose_primary(id, by=_who())
    if as_json:
        print_json([decision_json(decision)])
    else:
        say(f"Saved: keep {id}. 'undo {id} {id}' undoes it.")


@command()
@click.argument("ids", type=int, nargs=-1)
@click.option(
    "--in-paperless",
    is_flag=True,
    help="Undo what a policy or a merge last did in Paperless: trash, tags, fields.",
)
def undo(context: Context, ids: tuple[int, ...], in_paperless: bool, as_json: bool) -> None:
    """Undo the decision about two documents, or without IDs the last one."""
    if in_paperless:
        if ids:
            raise UsageError("'undo --in-paperless' takes no ids: it goes back step by step.")
        _undo_in_paperless(context, as_json=as_json)
        return
    from paperless_fingerprint.library.as_json import decision_json

    if len(ids) not in {0, 2}:
        raise UsageError("'undo' takes two ids, such as 'undo 12 40', or none for the last word.")
    with context.library() as library:
        taken_back = library.undo(*ids)
    if as_json:
        print_json(decision_json(decision) for decision in taken_back)
    elif not taken_back:
        say("There is no decision to undo.")
    else:
        for decision in taken_back:
            say(f"Undone: '{decision.verdict.value}' about {decision.a} and {decision.b}.")


def _undo_in_paperless(context: Context, *, as_json: bool) -> None:
    from paperless_fingerprint.integration.context import open_workplace
    from paperless_fingerprint.integration.undo import undo_last

    with progress_bar() as progress, open_workplace(context.settings(), progress) as place:
        sentences = undo_last(place, by=_who())
    if as_json:
        print_json({"undone": sentence} for sentence in sentences)
    elif not sentences:
        say("There is nothing in Paperless to undo.")
    for sentence in () if as_json else sentences:
        say(sentence)
