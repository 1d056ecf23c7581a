"""Reads the ``.cypher`` files.

A statement file is one statement under a header of line comments, so that it opens in Neo4j
Browser as it is::

    // name: read_user
    // Where the user's events stand.
    // params: end_user_id

    MATCH (u:EndUser {end_user_id: $end_user_id})
    RETURN u.seq AS seq

``statements/`` holds what is bound to one user, ``admin/`` what is not, ``migrations/<dialect>/``
the numbered schema steps, each a list of statements that end in a semicolon.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import MappingProxyType

from memorygraph_cypher.scope import unscoped

__all__ = [
    "PARAMETERS",
    "CypherFileError",
    "Migration",
    "Statement",
    "migrations",
    "parse_migration",
    "parse_statement",
    "statements",
]

_NAME = re.compile(r"[a-z]+(_[a-z0-9]+)+")
_PARAMETER = re.compile(r"\$([A-Za-z_]\w*)")
_MIGRATION_NAME = re.compile(r"(\d{4})_[a-z0-9_]+")


PARAMETERS = "\x01"
"""The one parameter that the statements of a user are sent with: a map of all that they declare.

Neo4j plans a statement anew for every order of magnitude of the length of each list and text among its parameters;
of a map it sees a map. ArcadeDB 26.10 takes the value of a property in a pattern for a parameter when it reads ``$``
and that parameter's name (``UNWIND $rows AS row MATCH (n {name: row.name})`` with the name "$rows"), and looks
for another node than the one that was asked for: a control character stands in no name, id or key.
"""


class CypherFileError(Exception):
    """A ``.cypher`` file that does not keep to the form; the message names file and reason."""


@dataclass(frozen=True, kw_only=True)  # without slots, for the cached property
class Statement:
    """One graph statement."""

    name: str  # verb_noun, equal to the file's name
    description: str  # one line
    parameters: frozenset[str]  # exactly those that the text uses
    admin: bool  # not bound to one user
    text: str

    @cached_property
    def sent_text(self) -> str:
        """The text as it is sent, with ``PARAMETERS`` for those of a user's statement."""
        return self.text if self.admin else _PARAMETER.sub(rf"$`{PARAMETERS}`.\1", self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One numbered step of the schema for one dialect."""

    version: int  # 1, 2, 3, … without a hole
    name: str
    description: str
    language: str  # "cypher", or "sql" where the server has no Cypher for it
    statements: tuple[str, ...]  # in order, each safe to repeat


def _header(text: str, *, path: str, keys: tuple[str, ...]) -> tuple[dict[str, str], str, str]:
    """The ``key: value`` lines, the description and the body of a file."""
    fields: dict[str, str] = {}
    description = ""
    lines = text.splitlines()
    start = 0
    for start, line in enumerate(lines):  # noqa: B007 — the body begins where the header ends
        if not line.startswith("//"):
            break
        content = line[2:].strip()
        key, colon, value = content.partition(":")
        if colon and key in keys:
            if key in fields:
                raise CypherFileError(f"{path}: {key} is declared twice")
            fields[key] = value.strip()
        elif description:
            raise CypherFileError(f"{path}: the description is one line, {content!r} is a second")
        else:
            description = content
    for key in keys:
        if key not in fields:
            raise CypherFileError(f"{path}: the header lacks {key!r}")
    if not description:
        raise CypherFileError(f"{path}: the header lacks a description")
    body = "\n".join(lines[start:]).strip()
    if not body:
        raise CypherFileError(f"{path}: there is no statement under the header")
    return fields, description, body


def parse_statement(text: str, *, path: str, admin: bool) -> Statement:
    """The statement in ``text``; ``path`` is for messages and must end in the statement's name.

    Raises :class:`CypherFileError` for a bad header, a parameter that is undeclared, unused or
    declared twice, and for a user statement with a pattern that is not bound to the user.
    """
    fields, description, body = _header(text, path=path, keys=("name", "params"))
    name = fields["name"]
    if not _NAME.fullmatch(name):
        raise CypherFileError(f"{path}: the name {name!r} is not verb_noun")
    if path.rsplit("/", 1)[-1] != f"{name}.cypher":
        raise CypherFileError(f"{path}: the file's name differs from {name!r}")
    declared = [p.strip() for p in fields["params"].split(",") if p.strip()]
    if len(declared) != len(set(declared)):
        raise CypherFileError(f"{path}: a parameter is declared twice")
    used = set(_PARAMETER.findall(body))
    if undeclared := used - set(declared):
        raise CypherFileError(f"{path}: undeclared parameters: {', '.join(sorted(undeclared))}")
    if unused := set(declared) - used:
        raise CypherFileError(f"{path}: declared and never used: {', '.join(sorted(unused))}")
    if ";" in body:
        raise CypherFileError(f"{path}: one statement per file, without a semicolon")
    if not admin and (open_patterns := unscoped(body)):
        raise CypherFileError(f"{path}: not bound to the user: {'; '.join(open_patterns)}")
    return Statement(name=name, description=description, parameters=frozenset(declared), admin=admin, text=body)


def parse_migration(text: str, *, path: str) -> Migration:
    """The migration in ``text``; raises :class:`CypherFileError` when it is malformed."""
    fields, description, body = _header(text, path=path, keys=("name", "language"))
    name = fields["name"]
    match = _MIGRATION_NAME.fullmatch(name)
    if match is None or path.rsplit("/", 1)[-1] != f"{name}.cypher":
        raise CypherFileError(f"{path}: a migration is named 0001_what and so is its file, not {name!r}")
    if fields["language"] not in ("cypher", "sql"):
        raise CypherFileError(f"{path}: the language is cypher or sql, not {fields['language']!r}")
    parts = [part.strip() for part in body.split(";")]
    if parts.pop():
        raise CypherFileError(f"{path}: the last statement lacks its semicolon")
    return Migration(
        version=int(match[1]),
        name=name,
        description=description,
        language=fields["language"],
        statements=tuple(parts),
    )


def _files(folder: Traversable) -> list[Traversable]:
    return sorted((f for f in folder.iterdir() if f.name.endswith(".cypher")), key=lambda f: f.name)


def _load_statements() -> Mapping[str, Statement]:
    found: dict[str, Statement] = {}
    root = files("memorygraph_cypher")
    for folder, admin in (("statements", False), ("admin", True)):
        for file in _files(root / folder):
            statement = parse_statement(file.read_text(encoding="utf-8"), path=f"{folder}/{file.name}", admin=admin)
            if statement.name in found:
                raise CypherFileError(f"{folder}/{file.name}: the name {statement.name!r} is taken")
            found[statement.name] = statement
    return MappingProxyType(found)


def migrations(dialect: str) -> tuple[Migration, ...]:
    """The schema's steps for ``dialect`` ("neo4j" or "arcadedb"), in order."""
    found = tuple(
        parse_migration(file.read_text(encoding="utf-8"), path=f"migrations/{dialect}/{file.name}")
        for file in _files(files("memorygraph_cypher") / "migrations" / dialect)
    )
    if [m.version for m in found] != list(range(1, len(found) + 1)):
        raise CypherFileError(f"migrations/{dialect}: versions do not run 1, 2, 3, …")
    return found


statements: Mapping[str, Statement] = _load_statements()
