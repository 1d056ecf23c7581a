"""Waiting for a condition with a deadline, where a sleep would be a guess."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

__all__ = ["wait_until", "wait_until_async"]

_T = TypeVar("_T")


def wait_until(condition: Callable[[], _T], *, timeout: float, what: str, interval: float = 0.02) -> _T:
    """Ask ``condition`` until it returns something true, and return that.

    ``timeout`` and ``interval`` are seconds. Raises ``TimeoutError`` naming ``what`` was waited for.
    """
    deadline = time.monotonic() + timeout
    while not (result := condition()):
        if time.monotonic() >= deadline:
            raise TimeoutError(f"waited {timeout} s in vain: {what}")
        time.sleep(interval)
    return result


async def wait_until_async(
    condition: Callable[[], Awaitable[_T]], *, timeout: float, what: str, interval: float = 0.02
) -> _T:
    """``wait_until`` for a condition that is awaited."""
    deadline = time.monotonic() + timeout
    while not (result := await condition()):
        if time.monotonic() >= deadline:
            raise TimeoutError(f"waited {timeout} s in vain: {what}")
        await asyncio.sleep(interval)
    return result
