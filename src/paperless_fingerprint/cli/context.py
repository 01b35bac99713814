"""What every command shares: settings, the store, and how results and messages are shown."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from paperless_fingerprint.errors import ExitCode, FingerprintError, lack_of_memory

if TYPE_CHECKING:
    from pathlib import Path

    from paperless_fingerprint.api.library import Library
    from paperless_fingerprint.progress import Progress
    from paperless_fingerprint.settings.registry import Settings, Value

Function = TypeVar("Function", bound=Callable[..., Any])


class Context:
    """The options that stand before or after a command's name, the later one winning."""

    def __init__(self, flags: dict[str, Value] | None = None, config: Path | None = None) -> None:
        self.flags = flags or {}
        self.config = config

    def settings(self) -> Settings:
        from paperless_fingerprint.settings.loading import load

        return load(self.flags, file=self.config)

    def library(self, progress: Progress | None = None, *, create: bool = False) -> Library:
        """Open it; commands that only read do not make one."""
        from paperless_fingerprint.api.library import Library

        return Library(settings=self.settings(), create=create, progress=progress)


def _keep(name: str) -> Callable[[click.Context, click.Parameter, Any], Any]:
    def callback(context: click.Context, _parameter: click.Parameter, value: Any) -> Any:
        if value is not None:
            own = context.ensure_object(Context)
            if name == "config":
                from pathlib import Path

                own.config = Path(value)
            else:
                own.flags[name] = value
        return value

    return callback


_store_option = click.option(
    "--store",
    metavar="ADDRESS",
    callback=_keep("store"),
    expose_value=False,
    help="sqlite:///PATH, or http(s)://HOST:9200 of Elasticsearch.",
)
_config_option = click.option(
    "--config",
    type=click.Path(),
    callback=_keep("config"),
    expose_value=False,
    help="The settings file. [default: config.toml in ~/.config/paperless-fingerprint]",
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON lines, one object per line."
)


def shared_options(function: Function) -> Function:
    """--store and --config, which are understood before and after the command's name."""
    return _store_option(_config_option(function))


class Command(click.Command):
    """Is called with the Context, and has --store, --config and --json behind its own options."""

    def __init__(self, *args: Any, json: bool = True, **more: Any) -> None:
        super().__init__(*args, **more)
        assert self.callback is not None
        self.callback = click.pass_obj(self.callback)
        for option in (_store_option, _config_option, *([json_option] if json else ())):
            option(self)


def command(
    name: str | None = None, *, json: bool = True
) -> Callable[[Callable[..., Any]], click.Command]:
    return click.command(name, cls=Command, json=json)


limit_option = click.option(
    "--limit", type=click.IntRange(min=0), metavar="N", help="Show at most N rows."
)


def print_json(rows: Iterable[Mapping[str, Any]]) -> None:
    import json

    for row in rows:
        sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")


def say(message: str) -> None:
    """A line for people; results alone go to stdout."""
    click.echo(message, err=True)


def print_table(columns: Sequence[tuple[str, str]], rows: Iterable[Sequence[str]]) -> None:
    """`columns` are (heading, 'left' or 'right'). Wide cells are folded, never cut."""
    from paperless_fingerprint.cli.table import table_lines

    # Titles come from strangers: control characters are shown, not obeyed.
    cells = [[printable(cell) for cell in row] for row in rows]
    headings = [(printable(heading), side) for heading, side in columns]
    for line in table_lines(headings, cells):
        click.echo(line)


def console() -> Any:
    from rich.console import Console

    # Into a pipe or a file a table is as wide as it needs to be.
    width = None if sys.stdout.isatty() or os.environ.get("COLUMNS") else 140
    return Console(file=sys.stdout, width=width, highlight=False)


def printable(text: str) -> str:
    """Titles are foreign text: no escape sequence in one may reach the terminal."""
    return "".join(c if c.isprintable() else "\u00b7" for c in text.replace("\n", " "))


def percent(share: float | None) -> str:
    return "" if share is None else f"{share:.0%}"


class _Bar:
    """Progress as a bar on a terminal, as a line now and then elsewhere; always on stderr."""

    def __init__(self) -> None:
        self._progress: Any = None
        self._task: Any = None

    def begin(self, what: str, total: int | None = None) -> None:
        self.end()
        if not sys.stderr.isatty():
            return
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._progress.start()
        self._task = self._progress.add_task(what, total=total)

    def advance(self, by: int = 1) -> None:
        if self._progress is not None:
            self._progress.advance(self._task, by)

    def say(self, message: str) -> None:
        if self._progress is not None:
            self._progress.console.print(message, markup=False, highlight=False)
        else:
            say(message)

    def end(self) -> None:
        if self._progress is not None:
            self._progress.stop()
            self._progress = None


@contextmanager
def progress_bar() -> Iterator[_Bar]:
    bar = _Bar()
    try:
        yield bar
    finally:
        bar.end()


class Group(click.Group):
    """Turns our errors into one sentence and their exit code, and loads commands when needed."""

    #: name -> 'module:attribute' under paperless_fingerprint.cli
    lazy: Mapping[str, str] = {}
    command_class = Command
    #: name -> the first sentence of its description, where it need not be loaded for that.
    told: Mapping[str, str] = {}

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        names = self.list_commands(ctx)
        if not names:
            return
        limit = formatter.width - 6 - max(map(len, names))
        with formatter.section("Commands"):
            formatter.write_dl(
                [
                    (name, command.get_short_help_str(limit))
                    for name in names
                    if (command := self._described(ctx, name)) and not command.hidden
                ]
            )

    def _described(self, ctx: click.Context, name: str) -> click.Command | None:
        told = self.told.get(name)
        return click.Command(name, help=told) if told else self.get_command(ctx, name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *self.lazy})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in self.lazy:
            from importlib import import_module

            module, attribute = self.lazy[cmd_name].split(":")
            command: click.Command = getattr(
                import_module(f"paperless_fingerprint.cli.{module}"), attribute
            )
            return command
        return super().get_command(ctx, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if self.get_command(ctx, name) is None and name[:1] != "-" and not ctx.resilient_parsing:
            from difflib import get_close_matches

            near = get_close_matches(name.lower(), self.list_commands(ctx), 3)
            told = f"Did you mean {' or '.join(near)}?" if near else "--help lists the commands."
            ctx.fail(f"No such command '{printable(name)}'. {told}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except FingerprintError as error:
            say(f"paperless-fingerprint: {printable(str(error))}")
            ctx.exit(error.exit_code)
        except BrokenPipeError:
            # The reader has seen enough ('| head').
            sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123
            ctx.exit(ExitCode.DONE)
        except (MemoryError, OSError, RuntimeError) as error:
            if not (told := lack_of_memory(error)):
                raise
            say(f"paperless-fingerprint: {told}")
            ctx.exit(ExitCode.PARTLY_DONE)
        except KeyboardInterrupt:
            say(
                "\npaperless-fingerprint: stopped. What was done is kept; run it again to continue."
            )
            ctx.exit(130)
