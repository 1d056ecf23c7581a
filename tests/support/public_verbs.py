"""What a caller can reach of a class."""

from __future__ import annotations

import inspect

__all__ = ["public"]


def public(cls: type) -> set[str]:
    """The names of the methods of ``cls`` that are meant for callers."""
    return {name for name, _ in inspect.getmembers(cls, inspect.isroutine) if not name.startswith("_")}
