"""What every command is given, and the decorator that gives it."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import typer

from memorygraph_api.cli.options import (
    DataDir,
    Embedder,
    EndUser,
    Json,
    LedgerUrl,
    Neo4jDatabase,
    Neo4jUri,
    Neo4jUser,
)

if TYPE_CHECKING:
    from memorygraph import Memory, MemoryEngine
    from memorygraph.settings import Settings
    from memorygraph_api.cli.terminal import Terminal

__all__ = ["SETTINGS_OPTIONS", "Invocation", "operation", "print_json", "shared_options"]

P = ParamSpec("P")
T = TypeVar("T")
Command = Callable[Concatenate["Invocation", P], None]

# Parameter name → annotated type. The name is the setting's, so that a value is an override as it is.
SETTINGS_OPTIONS: Mapping[str, Any] = {
    "data_dir": DataDir,
    "end_user_id": EndUser,
    "neo4j_uri": Neo4jUri,
    "neo4j_user": Neo4jUser,
    "neo4j_database": Neo4jDatabase,
    "ledger_url": LedgerUrl,
    "embedder": Embedder,
}


def print_json(value: Mapping[str, Any]) -> None:
    """One JSON object and a newline on standard output, readable where its encoding is UTF-8."""
    readable = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    sys.stdout.write(json.dumps(value, ensure_ascii=not readable, allow_nan=False) + "\n")


@dataclass(frozen=True, slots=True)
class Invocation:
    """One call of a command: the settings options that were given, and how to answer."""

    as_json: bool
    overrides: Mapping[str, Any] = field(default_factory=dict)

    def settings(self, **more: Any) -> Settings:
        """The settings in force; ``more`` goes before options, environment and file.

        Raises :class:`memorygraph.errors.ConfigurationError`.
        """
        from memorygraph.settings import load_settings

        return load_settings(**{**self.overrides, **more})

    def with_engine(self, work: Callable[[MemoryEngine, Settings], Awaitable[T]]) -> T:
        """Open the engine, do ``work`` with it, close it, in an event loop of its own."""
        import asyncio

        settings = self.settings()
        from memorygraph import MemoryEngine

        async def opened() -> T:
            async with await MemoryEngine.open(settings) as engine:
                return await work(engine, settings)

        return asyncio.run(opened())

    def with_memory(self, work: Callable[[Memory], Awaitable[T]]) -> T:
        """Do ``work`` with the memory of the user that the settings name."""

        async def on_memory(engine: MemoryEngine, settings: Settings) -> T:
            return await work(engine.memory(settings.end_user_id, actor="cli"))

        return self.with_engine(on_memory)

    @contextmanager
    def progress(self, doing: str) -> Iterator[Callable[[int, int], None]]:
        """A bar on standard error while the context lasts, moved by calls with (done, all); none beside JSON."""
        if self.as_json:
            yield lambda done, all: None
            return
        from memorygraph_api.cli.terminal.progress import progress_bar

        with progress_bar(doing) as move:
            yield move

    def answer(self, value: Mapping[str, Any], show: Callable[[Terminal], None]) -> None:
        """Print ``value`` as JSON when it was asked for, else let ``show`` print for people."""
        if self.as_json:
            print_json(value)
        else:
            self.show(show)

    def show(self, show: Callable[[Terminal], None]) -> None:
        """Let ``show`` print for people."""
        from memorygraph_api.cli.terminal import Terminal

        show(Terminal())


def shared_options(*, without: Collection[str] = ()) -> Callable[[Command[P]], Callable[..., None]]:
    """A decorator that gives a command the shared options, but for the settings named in ``without``.

    The command receives them as its first argument, an :class:`Invocation`.
    """
    settings = {name: option for name, option in SETTINGS_OPTIONS.items() if name not in without}

    def decorate(command: Command[P]) -> Callable[..., None]:
        own = list(inspect.signature(command, eval_str=True).parameters.values())[1:]
        keyword = inspect.Parameter.KEYWORD_ONLY
        parameters = [
            *(parameter.replace(kind=keyword) for parameter in own),
            *(inspect.Parameter(name, keyword, default=None, annotation=option) for name, option in settings.items()),
            inspect.Parameter("as_json", keyword, default=False, annotation=Json),
            inspect.Parameter("parsing", keyword, annotation=typer.Context),
        ]

        def wrapped(*, parsing: typer.Context, as_json: bool, **values: Any) -> None:
            given = {name: value for name in settings if (value := values.pop(name)) is not None}
            # `memorygraph --json recall …` means the same as `memorygraph recall … --json`.
            everywhere = bool(parsing.find_root().params.get("as_json"))
            command(Invocation(as_json or everywhere, given), **values)  # type: ignore[call-arg]

        wrapped.__name__ = command.__name__
        wrapped.__doc__ = command.__doc__
        # Where inspect looks first, and with it the parser.
        wrapped.__dict__["__signature__"] = inspect.Signature(parameters)
        return wrapped

    return decorate


operation = shared_options()
"""Gives a command all of the shared options."""
