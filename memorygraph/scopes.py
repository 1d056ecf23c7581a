"""What a caller may do with a memory."""

from __future__ import annotations

from collections.abc import Collection

from memorygraph.errors import Forbidden, InvalidInput

__all__ = ["ALL_SCOPES", "check_scopes", "need"]

ALL_SCOPES = frozenset({"read", "write", "forget", "review", "admin"})


def check_scopes(scopes: Collection[str]) -> frozenset[str]:
    """``scopes`` when they are known ones. Raises :class:`InvalidInput`."""
    asked = {scopes} if isinstance(scopes, str) else set(scopes)
    if unknown := sorted(map(str, asked - ALL_SCOPES)):
        raise InvalidInput(
            f"{unknown[0][:60]!r} is not a scope.",
            field="scopes",
            hint=f"Scopes: {', '.join(sorted(ALL_SCOPES))}.",
        )
    return frozenset(asked)


def need(scope: str, scopes: Collection[str]) -> None:
    """Raise :class:`Forbidden` unless ``scopes`` has ``scope``."""
    if scope not in scopes:
        raise Forbidden(
            f"This needs the scope {scope}, which the caller does not have.",
            scope=scope,
            hint="Use a memory, or a key, that has it.",
        )
