"""The command tree and its entry."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated, NoReturn

import typer

from memorygraph._version import __version__
from memorygraph_api.cli import demonstrate, forgetting, memories, upkeep
from memorygraph_api.cli.failures import EXIT_ERROR, EXIT_INTERRUPTED, EXIT_OK, EXIT_USAGE, report
from memorygraph_api.cli.invocation import print_json
from memorygraph_api.cli.options import Json

__all__ = ["app", "main", "run"]

_NAME = "memorygraph"

# Without rich markup, help is laid out by the parser alone: importing rich would more than double its time.
app = typer.Typer(
    name=_NAME,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Every setting is also a MEMORYGRAPH_<NAME> variable or a line of memorygraph.toml in the working "
    "directory (or of the file that MEMORYGRAPH_CONFIG names).",
)


@app.callback(invoke_without_command=True)
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


memories.register(app)
forgetting.register(app)
upkeep.register(app)
demonstrate.register(app)


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code; never raises for what a command did."""
    words = list(arguments)
    as_json = "--json" in (words[: words.index("--")] if "--" in words else words)
    try:
        code = typer.main.get_command(app).main(args=words, prog_name=_NAME, standalone_mode=False)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        _leave_broken_pipe()
        return EXIT_ERROR
    except Exception as error:
        return report(error, as_json=as_json)
    return code if isinstance(code, int) else EXIT_OK


def _leave_broken_pipe() -> None:
    # The interpreter flushes standard output once more when it ends, and would complain then.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main() -> NoReturn:
    """Entry point of the ``memorygraph`` script."""
    sys.exit(run(sys.argv[1:]))
