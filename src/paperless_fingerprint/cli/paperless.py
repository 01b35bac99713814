"""Commands that speak with Paperless: sync, consume, inbox, apply, merge, serve."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict
from types import FrameType
from typing import TYPE_CHECKING

import click

from paperless_fingerprint.cli.context import (
    Context,
    Group,
    command,
    json_option,
    print_json,
    print_table,
    printable,
    progress_bar,
    say,
    shared_options,
)
from paperless_fingerprint.errors import (
    ConfigurationError,
    NoLibraryError,
    PaperlessError,
    PartlyDone,
    UsageError,
)

if TYPE_CHECKING:
    import socket

    from paperless_fingerprint.integration.context import Workplace
    from paperless_fingerprint.integration.feedback.plan import FeedbackReport
    from paperless_fingerprint.integration.feedback.plan_in_words import Write
    from paperless_fingerprint.settings.registry import Settings


@contextmanager
def _place(context: Context) -> Iterator[Workplace]:
    from paperless_fingerprint.integration.context import open_workplace

    with progress_bar() as progress, open_workplace(context.settings(), progress) as place:
        yield place


@command()
@click.option("--full", is_flag=True, help="Fetch every document, changed or not.")
@click.option(
    "--accept-deletions",
    is_flag=True,
    help="Accept it even if most of the library was deleted at once.",
)
def sync(context: Context, full: bool, accept_deletions: bool, as_json: bool) -> None:
    """Fetch new and changed documents from Paperless, and remove deleted ones.

    What people have said there since (a tag of ours taken off, 'not a duplicate' put on) is kept.
    A run that was stopped goes on where it was.
    """
    from paperless_fingerprint.integration.sync import FEW, follow_up, is_first, sync

    with _place(context) as place:
        first = is_first(place)
        report = sync(place, full=full, accept_loss=accept_deletions)
        waiting = len(place.store.pending(FEW + 1))
        if waiting <= FEW and not first:
            for _ in follow_up(place, first=False):
                pass
            waiting = 0
    if as_json:
        print_json([report.as_json()])
    else:
        say(report.in_words())
        if waiting:
            say(
                "'paperless-fingerprint analyze' compares what is new, 'apply' writes it to Paperless."
            )
    if report.unreadable:
        raise PartlyDone(
            f"{len(report.unreadable):,} documents were left out, as said above; the next sync "
            "tries them again."
        )


@command()
@click.argument("id", type=int, required=False)
@click.option("--inbox", "whole_inbox", is_flag=True, help="All waiting events, and the spool.")
def consume(context: Context, id: int | None, whole_inbox: bool, as_json: bool) -> None:
    """Process one document: fetch it, compare it, write to Paperless.

    With --inbox, for all events that wait. What Paperless or the store being away holds up stays in
    the inbox.
    """
    if (id is None) is not whole_inbox:
        raise UsageError("Name one document, or use --inbox for all that are waiting.")
    if id is None:
        _consume_inbox(context, as_json)
        return
    from paperless_fingerprint.integration.consume import do_event, found

    with _place(context) as place:
        try:
            # Through the inbox: if this fails, or is stopped, the document is not forgotten.
            place.inbox.add([id])
        except ValueError:
            raise UsageError(f"{id} cannot be the id of a document.") from None
        with place.turn.held(), place.lock.held():
            event = next((e for e in place.inbox.events() if e.document_id == id), None)
            # A service may have been quicker.
            outcome = do_event(place, event) if event else found(place, id)
        if outcome is None:
            raise PartlyDone(f"Document {id} failed, see above; it stays in the inbox.")
    if as_json:
        print_json(
            [{"id": outcome.document_id, "state": outcome.state, "connected": outcome.connected}]
        )
    elif outcome.state == "gone":
        say(f"Document {id} does not exist in Paperless, is in the trash, or you may not see it.")
    else:
        say(f"Document {outcome.document_id} is done: connected with {outcome.connected} others.")


def _consume_inbox(context: Context, as_json: bool) -> None:
    from paperless_fingerprint.service.worker import drain_once

    with progress_bar() as progress:
        done, waiting, why = drain_once(context.settings(), progress)
    if as_json:
        print_json([{"done": done, "waiting": waiting}])
    elif not why:
        say(f"{done:,} documents done, {waiting:,} waiting to be retried.")
    if why:
        raise PaperlessError(f"{why} {waiting:,} documents wait in the inbox; nothing is lost.")
    if waiting:
        raise PartlyDone(
            f"{waiting:,} documents failed and wait to be tried again; 'paperless-fingerprint "
            "inbox' says why."
        )


@click.group(cls=Group, invoke_without_command=True)
@shared_options
@json_option
@click.pass_context
def inbox(click_context: click.Context, as_json: bool) -> None:
    """Show what is waiting, and what failed and why."""
    if click_context.invoked_subcommand:
        return
    from paperless_fingerprint.integration.context import open_inbox, open_spool

    settings = click_context.obj.settings()
    file, found = open_inbox(settings)
    with closing(file):
        found.take_from(open_spool(settings))
        events = found.events()
    if as_json:
        print_json(
            {
                "id": e.document_id,
                "state": e.state,
                "since": e.noticed,
                "tries": e.tries,
                "next_try": _moment(e.next_try),
                "error": e.error,
            }
            for e in events
        )
        return
    if not events:
        say("The inbox is empty.")
        return
    print_table(
        [("document", "right"), ("state", "left"), ("since", "left"), ("tries", "right"),
         ("next try", "left"), ("why", "left")],
        (
            (str(e.document_id), e.state, e.noticed[:19], str(e.tries), _moment(e.next_try) or "",
             e.error)
            for e in events
        ),
    )  # fmt: skip


def _moment(seconds: float) -> str | None:
    from paperless_fingerprint.library.clock import text_of

    return text_of(seconds) if seconds else None


@inbox.command(name="retry", json=False)
@click.argument("ids", type=int, nargs=-1)
def inbox_retry(context: Context, ids: tuple[int, ...]) -> None:
    """Retry failed documents: those named, or all. 'consume --inbox' or `serve` processes them."""
    from paperless_fingerprint.integration.context import open_inbox

    file, found = open_inbox(context.settings())
    with closing(file):
        count = found.retry(ids or None)
    say(f"{count:,} documents will be retried.")


@inbox.command(name="drop", json=False)
@click.argument("ids", type=int, nargs=-1, required=True)
def inbox_drop(context: Context, ids: tuple[int, ...]) -> None:
    """Drop the events of these documents. A later sync still finds the documents."""
    from paperless_fingerprint.integration.context import open_inbox

    file, found = open_inbox(context.settings())
    with closing(file):
        count = found.forget(ids)
    say(f"{count:,} events were dropped.")


@command()
@click.option("--dry-run", is_flag=True, help="Show what would be written, and write nothing.")
@click.option("--remove-all", is_flag=True, help="Remove everything that was ever written.")
def apply(context: Context, dry_run: bool, remove_all: bool, as_json: bool) -> None:
    """Write tags, links and the saved view to Paperless.

    Only what differs from what is there: a second run writes nothing. Tags and fields of yours are
    not touched. Look first with --dry-run, which lists each document with its title and what it
    would get and lose; --remove-all takes everything back.
    """
    from paperless_fingerprint.integration.feedback.listen import hear_all
    from paperless_fingerprint.integration.feedback.tell import at_pace, take_back_all, tell_all

    if dry_run and remove_all:
        raise UsageError("--dry-run and --remove-all do not go together.")
    writes: list[Write] = []
    with _place(context) as place:
        if not place.settings.paperless.write and not (remove_all or dry_run):
            raise UsageError(
                "Writing to Paperless is switched off: [paperless] write is false. "
                "--dry-run shows what would be written."
            )
        pause = at_pace(place.settings.paperless.writes_per_second)
        with place.lock.held():
            if remove_all:
                report = take_back_all(place, pause)
            elif dry_run:
                report = tell_all(place, dry_run=True)
                writes = _writes(place, report)
            else:
                hear_all(place)
                report = tell_all(place, pause=pause, again=True)
    if as_json:
        more = {"documents": [asdict(write) for write in writes]} if dry_run else {}
        print_json([report.as_json() | more])
    else:
        _print_writes(writes)
        _say_feedback(report, dry_run=dry_run)
        if remove_all:
            say("Nothing is written to Paperless any more, until you run 'apply' again.")
    if report.refused:
        raise PartlyDone(
            f"Paperless refused to change {len(report.refused):,} documents; the others are done."
        )


def _writes(place: Workplace, report: FeedbackReport) -> list[Write]:
    from paperless_fingerprint.integration.feedback.plan_in_words import writes_of

    ids = {id for id, _, _ in (*report.plan.add, *report.plan.remove)}
    titles = {id: known.title for id, known in place.store.metadata(ids).items()}
    return list(writes_of(report.plan, place.settings, titles))


def _print_writes(writes: Sequence[Write]) -> None:
    if writes:
        print_table(
            [("document", "right"), ("title", "left"), ("would get", "left"),
             ("would lose", "left")],
            (
                (str(write.document), write.title, ", ".join(write.add), ", ".join(write.remove))
                for write in writes
            ),
        )  # fmt: skip


def _say_feedback(report: FeedbackReport, *, dry_run: bool) -> None:
    added, removed = ("Would write", "Would take back") if dry_run else ("Wrote", "Taken back")
    for verb, counts in ((added, report.added), (removed, report.removed)):
        if counts:
            listed = ", ".join(f"{count:,} {_named(kind)}" for kind, count in counts.items())
            say(f"{verb}: {listed}.")
    if not report.added and not report.removed:
        say("Paperless is already up to date; nothing was written.")
    for problem in report.problems:
        say(problem)
    for id, reason in report.refused[:20]:
        say(f"Document {id} {reason}.")


def _named(kind: str) -> str:
    what, _, which = kind.partition(":")
    return f"{what} '{which}'" if which else what


@command()
@click.argument("primary", type=int)
@click.argument("copies", type=int, nargs=-1)
@click.option("--yes", is_flag=True, help="Do it; without --yes you only see what it would do.")
def merge(
    context: Context, primary: int, copies: tuple[int, ...], yes: bool, as_json: bool
) -> None:
    """Copy tags and fields of COPIES to PRIMARY, and move the copies to Paperless's trash.

    Without COPIES, takes the other members of PRIMARY's group. Only shows what it would do unless --yes is
    given. 'undo --in-paperless' undoes it.
    """
    from paperless_fingerprint.integration.merging import carry_out, losing_sight
    from paperless_fingerprint.integration.merging.words import Names, in_words

    with _place(context) as place, place.lock.held():
        if yes and any(report.plan.gets == primary for report in carry_out.finish(place)):
            say("Done: finished what an earlier run had started.")
            return
        chosen = copies or tuple(
            id
            for group in place.store.groups(ids=[primary])
            for id in group.members
            if id != primary
        )
        plan, names = carry_out.preview(place, [primary], chosen), Names(place.paperless)
        # What lies in the trash is in the library no longer.
        known = place.store.metadata([*plan.keep, *plan.trash])
        losing = list(losing_sight.losing_sight(plan, known, names))
        done = carry_out.merge(place, plan, "command line") if yes else None
        lines = in_words(plan, names) + [losing_sight.in_words(plan, each) for each in losing]
    if as_json:
        print_json([
            plan.as_json() | {
                "primary": plan.gets, "to_trash": list(plan.trash),
                "tags": [names.tags.get(tag, f"#{tag}") for tag in plan.tags],
                "trashed": list(done.trashed) if done else [],
                "losing_sight": [asdict(each) for each in losing],
            }
        ])  # fmt: skip
    else:
        for line in lines:
            click.echo(printable(line))
        say("Done." if yes else "Nothing was changed; --yes does it.")
    if done and done.refused:
        raise PartlyDone(" ".join(map(str, done.refused)))


@command(json=False)
@click.option("--host", help="Address to listen on.")
@click.option("--port", type=int, help="Port to listen on.")
@click.option("--sync", "starts", is_flag=True, help="Start the first sync automatically.")
def serve(context: Context, host: str | None, port: int | None, starts: bool) -> None:
    """Run the page, the HTTP API and the background service: review, search, inbox, sync.

    The first sync of a library is offered on the page; --sync starts it by itself. A library that
    was imported is shown without Paperless, too: read only, to this machine alone.
    """
    try:
        import uvicorn

        from paperless_fingerprint.web.app import check_secret, make_app, server_config
    except ImportError:
        raise UsageError(
            "`serve` needs the web parts, which are not installed. Install them with: "
            "pip install 'paperless-fingerprint[web]'"
        ) from None
    import signal

    from paperless_fingerprint.library.lock import library_file
    from paperless_fingerprint.service.live import LiveProgress
    from paperless_fingerprint.service.worker import Worker
    from paperless_fingerprint.stores.opening import open_store

    if host is not None:
        context.flags["service.host"] = host
    if port is not None:
        context.flags["service.port"] = port
    if starts:
        context.flags["service.first_sync"] = "start"
    settings = context.settings()
    check_secret(settings)
    _check_paperless(settings)
    if library_file(settings) is not None:
        # A file that cannot be used now will not be later; an Elasticsearch is waited for.
        open_store(settings).close()
    live = LiveProgress(_Log())
    worker = Worker(settings, live)
    with ExitStack() as stack:
        stack.callback(worker.stop)
        app = make_app(settings, worker, live)
        config = server_config(app, settings, log_level="warning", timeout_graceful_shutdown=5)
        listener = stack.enter_context(_listening(settings.service.host, settings.service.port))
        address, number = listener.getsockname()[:2]
        say(f"Listening on http://{f'[{address}]' if ':' in address else address}:{number}")
        for wish in (signal.SIGTERM, signal.SIGINT):
            # Uvicorn has shut down in order and raises the signal again; this is no crash.
            signal.signal(wish, lambda *_: None)
        server = uvicorn.Server(config)
        ended = server.handle_exit

        def end(sig: int, frame: FrameType | None) -> None:
            # An open progress stream would delay the shutdown by the whole time it is given.
            app.state.service.events.end()
            ended(sig, frame)

        server.handle_exit = end  # type: ignore[method-assign]
        server.run(sockets=[listener])


def _check_paperless(settings: Settings) -> None:
    """Settings that cannot work are said at once. A library without any Paperless is shown."""
    from paperless_fingerprint.paperless.opening import open_paperless
    from paperless_fingerprint.stores.opening import open_store

    told = settings.paperless
    if told.url or told.token or told.username:
        open_paperless(settings).close()
        return
    try:
        open_store(settings, create=False).close()
    except NoLibraryError:
        open_paperless(settings)  # says how to set the address
    say(
        "No Paperless is named in the settings: the library is shown as it is, read only, to "
        "whoever sits at this machine."
    )


def _listening(host: str, port: int) -> socket.socket:
    import socket

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family)
    except OSError as error:
        raise ConfigurationError(
            f"`serve` cannot listen on {host}, port {port} ({error.strerror}). Is another one "
            "running? --host and --port choose another address."
        ) from error
    # asyncio does so only for sockets that it has made itself; without it the second half of an
    # answer waits 40 ms for the browser to acknowledge the first.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


class _Log:
    """Lines with the time, on stderr; there is no bar in a service."""

    def begin(self, what: str, total: int | None = None) -> None:
        pass

    def advance(self, by: int = 1) -> None:
        pass

    def say(self, message: str) -> None:
        from paperless_fingerprint.library.clock import text_of

        say(f"{text_of(time.time())} {message}")
