"""Transactions that are bound to one user, and those that are openly not.

``UserTransaction`` runs statements of ``memorygraph_cypher`` by name and puts the user in itself:
there is no way to name another one. ``AdminTransaction`` runs only the listed statements that
belong to no user.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import neo4j

from memorygraph.errors import ScopeViolation, StoreBusy
from memorygraph_cypher import PARAMETERS, Statement, statements

__all__ = ["AdminTransaction", "Row", "TornRead", "UserTransaction"]

Row = dict[str, Any]
_USER = "end_user_id"


class TornRead(StoreBusy):
    """A statement that only reads saw a node which another transaction removed meanwhile; it is to run again."""


def _statement(name: str) -> Statement:
    try:
        return statements[name]
    except KeyError:
        raise ScopeViolation(f"There is no statement {name!r}.") from None


def _check_parameters(statement: Statement, given: Mapping[str, Any]) -> None:
    if given.keys() != statement.parameters:
        wrong = sorted(statement.parameters ^ given.keys())
        raise ScopeViolation(f"{statement.name} was called with other parameters than it declares: {', '.join(wrong)}.")


async def _rows(transaction: neo4j.AsyncTransaction, statement: Statement, parameters: Row) -> list[Row]:
    # The text comes from a packaged file and never from input, which is what the driver's LiteralString is to ensure.
    sent = parameters if statement.admin else {PARAMETERS: parameters}
    result = await transaction.run(cast(Any, statement.sent_text), sent)
    # Statements return values and maps only, so that there are no nodes to unpack.
    return [dict(record) for record in await result.fetch(_ALL)]


_ALL = 2**31 - 1


def _is_torn(row: Row) -> bool:
    """Whether the row shows a node or a relationship that has nothing of what each of ours has.

    Neo4j finds a node and reads its properties one after the other; of one that another transaction removes in
    between, none are left.
    """
    properties = row.get("properties")
    return (
        (isinstance(properties, dict) and all(value is None for value in properties.values()))
        or row.get("id", "") is None
        or any(entity["id"] is None for entity in row.get("entities") or ())
    )


class UserTransaction:
    """One transaction within the memory of one user.

    ``alone`` says that it holds the user's lock, so that nobody changes what it reads.
    """

    def __init__(self, transaction: neo4j.AsyncTransaction, end_user_id: str, *, alone: bool = True) -> None:
        self._transaction = transaction
        self._end_user_id = end_user_id
        self._alone = alone

    @property
    def end_user_id(self) -> str:
        return self._end_user_id

    async def rows(self, name: str, /, **parameters: Any) -> list[Row]:
        """Run the statement ``name`` for this user and return its rows.

        Raises :class:`ScopeViolation` for an unknown or an admin statement, for one that does not
        declare ``end_user_id``, and for parameters that differ from the declared ones, and
        :class:`TornRead` where a writer took away meanwhile what was found.
        """
        statement = _statement(name)
        if statement.admin or _USER not in statement.parameters:
            raise ScopeViolation(f"{name} is not bound to a user and cannot run within one user's memory.")
        if _USER in parameters:
            raise ScopeViolation(f"{name} was handed a user; a bound transaction has its own.")
        bound = {**parameters, _USER: self._end_user_id}
        _check_parameters(statement, bound)
        found = await _rows(self._transaction, statement, bound)
        # What checks the store is to show what is broken in it.
        if not self._alone and not name.startswith("check_") and any(map(_is_torn, found)):
            raise TornRead("What was being read was removed by another writer.", hint="Try again.")
        return found

    async def row(self, name: str, /, **parameters: Any) -> Row | None:
        """The first row of :meth:`rows`, or ``None``."""
        found = await self.rows(name, **parameters)
        return found[0] if found else None

    async def the_row(self, name: str, /, **parameters: Any) -> Row:
        """The one row of a statement that always has one."""
        return (await self.rows(name, **parameters))[0]


class AdminTransaction:
    """One transaction of statements that concern the store, not a user."""

    def __init__(self, transaction: neo4j.AsyncTransaction) -> None:
        self._transaction = transaction

    async def rows(self, name: str, /, **parameters: Any) -> list[Row]:
        """Run the admin statement ``name``; raises :class:`ScopeViolation` for any other."""
        statement = _statement(name)
        if not statement.admin:
            raise ScopeViolation(f"{name} belongs to one user and runs in that user's transaction only.")
        _check_parameters(statement, parameters)
        return await _rows(self._transaction, statement, parameters)
