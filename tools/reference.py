"""Write the pages of docs/ that are made from the code: settings, command line, errors.

``python -m tools.reference`` writes them; with ``--check`` it names those that are not what the code
says now, and exits with 1 if there are any.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import typer
from pydantic.fields import FieldInfo

from memorygraph import errors
from memorygraph.settings import Settings
from memorygraph_api.cli import command_tree, failures
from memorygraph_api.cli.invocation import SETTINGS_OPTIONS

__all__ = ["main", "pages", "stale"]

_DOCS = Path(__file__).resolve().parent.parent / "docs"
_MADE = "<!-- Made by `python -m tools.reference`. Change the code, not this page. -->"
_SHARED = {*SETTINGS_OPTIONS, "as_json"}
# What depends on the machine and not on the code.
_DEFAULTS = {"data_dir": "the user's data folder, see below"}


def pages() -> dict[str, str]:
    """Every generated page: its file name in docs/, and its text."""
    return {"settings.md": _settings_page(), "cli.md": _command_line_page(), "errors.md": _errors_page()}


def stale(docs: Path = _DOCS) -> list[str]:
    """Names of the pages that are missing in the folder ``docs`` or are not what the code says."""
    return [name for name, text in pages().items() if _current(docs / name) != text]


def main(argv: list[str] | None = None) -> int:
    """The program; its exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.reference", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    found = stale()
    if parser.parse_args(argv).check:
        for name in found:
            print(f"docs/{name} is not what the code says: run python -m tools.reference", file=sys.stderr)
        return 1 if found else 0
    for name in found:
        (_DOCS / name).write_text(pages()[name], encoding="utf-8")
        print(f"wrote docs/{name}")
    return 0


def _current(file: Path) -> str | None:
    return file.read_text(encoding="utf-8") if file.is_file() else None


def _page(title: str, *parts: str) -> str:
    return "\n\n".join([f"# {title}", _MADE, *parts]) + "\n"


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def _settings_page() -> str:
    rows = [
        (f"`{name}`", _kind(field), _DEFAULTS.get(name) or _value(field.default), _prose(field.description or ""))
        for name, field in Settings.model_fields.items()
    ]
    return _page(
        "Settings",
        "A setting is an argument of `MemoryEngine.open`, a variable `MEMORYGRAPH_<NAME>` in capitals, or a\n"
        "line of `memorygraph.toml`; of several that are given, the first in this order counts. The file is\n"
        "the one that `MEMORYGRAPH_CONFIG` names, else the one in the working directory, if there is one.\n"
        "[Options of the command line](cli.md#shared-options) are arguments. A name that is no setting is\n"
        "refused, wherever it stands, and the error names one that is near.",
        _table(("setting", "value", "default", "what it is"), rows),
        "The default of `data_dir` is `~/.local/share/memorygraph` on Linux (`XDG_DATA_HOME` moves it),\n"
        "`~/Library/Application Support/memorygraph` on macOS and `%LOCALAPPDATA%\\memorygraph` on\n"
        "Windows; `~` is expanded in a value too. Secrets are masked where settings are printed.",
        "```toml\n"
        "# memorygraph.toml\n"
        'neo4j_uri = "neo4j+s://graph.example.org"\n'
        'ledger_url = "postgresql://memorygraph@ledger.example.org/memorygraph"\n'
        "recall_cache_mb = 1024\n"
        "```",
    )


def _kind(field: FieldInfo) -> str:
    names = {"int": "whole number", "float": "number", "Path": "path"}
    shown = re.sub(r"<class '(.*)'>", r"\1", str(field.annotation))
    type_names = [part.rpartition(".")[2] for part in shown.split(" | ") if part != "None"]
    kind = "secret" if "SecretStr" in type_names else names.get(type_names[0], "text")
    bounds = (("at least", "ge"), ("above", "gt"), ("at most", "le"))
    found = [(words, getattr(part, name, None)) for part in field.metadata for words, name in bounds]
    return ", ".join([kind, *(f"{words} {value}" for words, value in found if value is not None)])


def _value(default: object) -> str:
    return "unset" if default is None else f"`{default}`"


def _commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    for name, inner in getattr(command, "commands", {}).items():
        yield " ".join((*path, name)), inner
        yield from _commands(inner, (*path, name))


def _command_line_page() -> str:
    root = typer.main.get_command(command_tree())
    commands = dict(_commands(root))
    shared: dict[str, Any] = {}
    for command in commands.values():
        shared |= {parameter.name: parameter for parameter in command.params if parameter.name in _SHARED}
    codes = [
        (failures.EXIT_OK, "done; a recall that finds nothing is done too"),
        (failures.EXIT_ERROR, "an error, something that was not done, or something that `doctor` found wrong"),
        (failures.EXIT_USAGE, "the command was not understood"),
        (failures.EXIT_INTERRUPTED, "interrupted"),
    ]
    order = [name for name in (*SETTINGS_OPTIONS, "as_json") if name in shared]
    return _page(
        "Command line",
        f"`memorygraph`: {_prose(root.help or '')}",
        _table(("command", "what it does"), [(_link(path), _first(inner)) for path, inner in commands.items()]),
        _table(("option of `memorygraph` itself", "what it does"), _option_rows(root.params)),
        "Answers go to standard output, errors to standard error; with `--json` each is one JSON object. An\n"
        "error's is `error`, with `code` (see [errors](errors.md)), `message`, `hint`, and `field` or\n"
        "`violations` where there are any. `--help` explains every command.",
        _table(("exit code", "meaning"), [(str(code), meaning) for code, meaning in codes]),
        "## Shared options",
        "Every command has these, but for those that its section names. They go before\n"
        "[variables and the settings file](settings.md).",
        _table(("option", "what it does"), _option_rows([shared[name] for name in order])),
        *(_command_section(path, command, order) for path, command in commands.items()),
    )


def _command_section(path: str, command: Any, shared: list[str]) -> str:
    heading = f"## {path}"
    if getattr(command, "commands", None):
        return f"{heading}\n\n{_prose(command.help)}"
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [p for p in command.params if p.param_type_name == "option" and p.name not in shared]
    missing = [name for name in shared if name not in {p.name for p in command.params}]
    words = " ".join(
        ["memorygraph", path, "[OPTIONS]", *(a.metavar if a.required else f"[{a.metavar}]" for a in arguments)]
    )
    parts = [heading, f"```\n{words}\n```", _prose(command.help)]
    rows = [(f"`{a.metavar}`", _prose(a.help)) for a in arguments] + _option_rows(options)
    if rows:
        parts.append(_table(("argument or option", "what it is"), rows))
    without = f", without `{'`, `'.join(_flag(name) for name in missing)}`" if missing else ""
    parts.append(f"And the [shared options](#shared-options){without}.")
    return "\n\n".join(parts)


def _flag(name: str) -> str:
    return {"end_user_id": "--user", "as_json": "--json"}.get(name, "--" + name.replace("_", "-"))


def _option_rows(options: list[Any]) -> list[tuple[str, ...]]:
    return [(f"`{_spelled(option)}`", _explained(option)) for option in options]


def _spelled(option: Any) -> str:
    names = " / ".join([*option.opts, *option.secondary_opts])
    return f"{names} {option.metavar}" if option.metavar else names


def _explained(option: Any) -> str:
    told = _prose(option.help)
    if option.envvar:
        told += f" Variable `{option.envvar}`."
    if isinstance(option.default, str | int | float) and not isinstance(option.default, bool):
        told += f" Default `{option.default}`."
    elif option.secondary_opts and option.default is not None:
        told += f" Default `{(option.opts if option.default else option.secondary_opts)[0]}`."
    return told


def _prose(text: str) -> str:
    """``text`` with each paragraph on one line, and nothing in it taken for a tag."""
    return "\n\n".join(" ".join(part.split()) for part in text.strip().split("\n\n")).replace("<", "\\<")


def _first(command: Any) -> str:
    """The first sentence of the command's help."""
    return _prose(command.help).split("\n\n")[0].split(". ")[0].removesuffix(".") + "."


def _link(path: str) -> str:
    return f"[`{path}`](#{path.replace(' ', '-')})"


def _errors_page() -> str:
    tree = _tree(errors.__doc__ or "")
    rows = [(f"`{name}`", f"`{code}`") for name, code in _codes(errors.MemoryGraphError).items()]
    return _page(
        "Errors",
        "Every exception raised on purpose is a `MemoryGraphError` of `memorygraph.errors`. `code` is stable,\n"
        "`message` says what is wrong, `hint`, where there is one, what to do; `str(error)` is both.",
        f"```\n{tree}\n```",
        _table(("exception", "code"), rows),
        "`InvalidInput` is a `ValueError` too, and `NotFound` a `LookupError`. The command line knows three codes\n"
        "more: `usage` for a command that was not understood, `output` where its output cannot be written, and\n"
        "`internal`, with a traceback, for what should not have happened.",
    )


def _tree(docstring: str) -> str:
    block = docstring.split("::\n", 1)[1]
    lines = [line.removeprefix("    ") for line in block.splitlines() if line.startswith("    ")]
    return "\n".join(lines)


def _codes(base: type[errors.MemoryGraphError]) -> Mapping[str, str]:
    found = {base.__name__: base.code}
    for inner in base.__subclasses__():
        if inner.__module__ == errors.__name__:
            found |= _codes(inner)
    return found


if __name__ == "__main__":
    sys.exit(main())
