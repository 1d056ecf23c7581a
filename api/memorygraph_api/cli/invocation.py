"""What every command is given, and the decorator that gives it."""

from __future__ import annotations

import asyncio
import functools
import inspect
import json
import sys
from collections.abc import Awaitable, Callable, Mapping
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
    from memorygraph import MemoryEngine
    from memorygraph.settings import Settings
    from memorygraph_api.cli.terminal import Terminal

__all__ = ["SHARED_OPTIONS", "Invocation", "operation", "print_json"]

P = ParamSpec("P")
T = TypeVar("T")

# Parameter name → annotated type. The name is the setting's, so that a value is an override as it is.
_SETTINGS_OPTIONS: Mapping[str, Any] = {
    "data_dir": DataDir,
    "end_user_id": EndUser,
    "neo4j_uri": Neo4jUri,
    "neo4j_user": Neo4jUser,
    "neo4j_database": Neo4jDatabase,
    "ledger_url": LedgerUrl,
    "embedder": Embedder,
}
SHARED_OPTIONS = (*_SETTINGS_OPTIONS, "as_json")
"""Names of the parameters that :func:`operation` adds to a command."""


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
        from memorygraph import MemoryEngine

        settings = self.settings()

        async def opened() -> T:
            async with await MemoryEngine.open(settings) as engine:
                return await work(engine, settings)

        return asyncio.run(opened())

    def answer(self, value: Mapping[str, Any], show: Callable[[Terminal], None]) -> None:
        """Print ``value`` as JSON when it was asked for, else let ``show`` print for people."""
        if self.as_json:
            print_json(value)
        else:
            from memorygraph_api.cli.terminal import Terminal

            show(Terminal())


def operation(command: Callable[Concatenate[Invocation, P], None]) -> Callable[..., None]:
    """Give a command the shared options; it receives them as its first argument, an :class:`Invocation`."""
    own = list(inspect.signature(command, eval_str=True).parameters.values())[1:]
    shared = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
        for name, annotation in _SETTINGS_OPTIONS.items()
    ]
    asked = inspect.Parameter("as_json", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Json)
    parsing = inspect.Parameter("parsing", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
    parameters = [*(p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own), *shared, asked, parsing]

    @functools.wraps(command)
    def wrapped(*, parsing: typer.Context, as_json: bool, **values: Any) -> None:
        overrides = {name: values.pop(name) for name in _SETTINGS_OPTIONS}
        given = {name: value for name, value in overrides.items() if value is not None}
        # `memorygraph --json recall …` means the same as `memorygraph recall … --json`.
        everywhere = bool(parsing.find_root().params.get("as_json"))
        command(Invocation(as_json or everywhere, given), **values)  # type: ignore[call-arg]

    wrapped.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {p.name: p.annotation for p in parameters}
    # get_type_hints would otherwise follow it to the command's own, unresolved annotations.
    del wrapped.__wrapped__  # type: ignore[attr-defined]
    return wrapped
