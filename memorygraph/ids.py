"""Identifiers of ours: UUIDv7 strings (RFC 9562), so that ids sort by the millisecond they were made."""

from __future__ import annotations

import secrets
import uuid

__all__ = ["new_id"]


def new_id(now_ms: int) -> str:
    """A UUIDv7 for the instant ``now_ms`` (epoch milliseconds, 0 ≤ now_ms < 2**48) with 74 random bits.

    Ids of one millisecond come in no particular order; ``changed_seq`` has the order of mutations.
    """
    random = secrets.randbits(74)
    value = (now_ms << 80) | (0x7 << 76) | ((random >> 62) << 64) | (0b10 << 62) | (random & (1 << 62) - 1)
    return str(uuid.UUID(int=value))
