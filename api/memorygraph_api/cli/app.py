"""The command tree and its entry."""

from __future__ import annotations

import gc
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from memorygraph._version import __version__
from memorygraph_api.cli import (
    auditing,
    demonstrate,
    entities,
    erasing,
    forgetting,
    ingesting,
    jobs,
    keeping,
    memories,
    reviewing,
    upkeep,
    writing,
)
from memorygraph_api.cli.failures import EXIT_ERROR, EXIT_INTERRUPTED, EXIT_OK, EXIT_USAGE, report
from memorygraph_api.cli.invocation import print_json
from memorygraph_api.cli.options import Json

__all__ = ["command_tree", "main", "run"]

_NAME = "memorygraph"
_PARTS = (
    demonstrate,
    writing,
    ingesting,
    memories,
    keeping,
    entities,
    reviewing,
    auditing,
    erasing,
    jobs,
    forgetting,
    upkeep,
)


def command_tree(*, root_options: bool = True, only: str | None = None) -> typer.Typer:
    """All commands, or those named ``only`` if there are any.

    ``root_options`` are ``memorygraph --help`` and those of completion.
    """
    tree = typer.Typer(
        name=_NAME,
        add_completion=root_options,
        add_help_option=root_options,
        # Without rich markup the parser lays help out itself: importing rich would more than double its time.
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
        epilog="Every setting is also a MEMORYGRAPH_<NAME> variable or a line of memorygraph.toml in the working "
        "directory (or of the file that MEMORYGRAPH_CONFIG names).",
    )
    tree.callback(invoke_without_command=True)(_root)
    for part in _PARTS:
        part.register(tree)
    # Every option of every command is looked at when the parser is made, which takes longer than all the rest.
    names = {command.name for command in tree.registered_commands} | {group.name for group in tree.registered_groups}
    if only in names:
        tree.registered_commands = [command for command in tree.registered_commands if command.name == only]
        tree.registered_groups = [group for group in tree.registered_groups if group.name == only]
    return tree


def _root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
    as_json: Json = False,
) -> None:
    """A memory engine for LLM agents that forgets by fusing, and keeps the lineage."""
    if version:
        if as_json:
            print_json({"version": __version__})
        else:
            typer.echo(f"{_NAME} {__version__}")
        raise typer.Exit(EXIT_OK)
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(EXIT_USAGE)


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code; never raises for what a command did."""
    words = list(arguments)
    for stream in ("stdout", "stderr"):
        if getattr(sys, stream) is None:  # closed by the caller, who wants to hear nothing
            setattr(sys, stream, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - it stays open to the end
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal that cannot show a character shows its code: no memory may break the output.
        sys.stdout.reconfigure(errors="backslashreplace")
    as_json = "--json" in (words[: words.index("--")] if "--" in words else words)
    try:
        # The parser imports pydantic to find that they were not given, which doubles the time to a command's help.
        tree = command_tree(root_options=not words or words[0].startswith("-"), only=words[0] if words else None)
        code = typer.main.get_command(tree).main(args=words, prog_name=_NAME, standalone_mode=False)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        _leave_output()
        return EXIT_ERROR
    except OSError as error:
        _leave_output()
        return report(error, as_json=as_json)
    except Exception as error:
        return report(error, as_json=as_json)
    return code if isinstance(code, int) else EXIT_OK


def _leave_output() -> None:
    # The interpreter flushes standard output once more when it ends, and would complain then.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main() -> NoReturn:
    """Entry point of the ``memorygraph`` script."""
    # What a command imports stays to its end: to look through it again and again took a tenth of the command's time.
    gc.set_threshold(100_000, 10, 10)
    sys.exit(run(sys.argv[1:]))
