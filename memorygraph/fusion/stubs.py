"""Stubs of fused originals: everything of the node and its relationships, uncompressed, so that it can come back."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

from memorygraph.writing.events import canonical_json

__all__ = ["decode_payload", "encode_payload", "stub_properties"]

_BYTES = "$bytes"  # key under which base64 stands for a bytes property
_MS_PER_DAY = 86_400_000


def encode_payload(properties: Mapping[str, Any], relationships: Sequence[Mapping[str, Any]]) -> str:
    """The payload of a stub: canonical JSON of a node's properties and relationships."""

    def plain(value: Any) -> Any:
        return {_BYTES: base64.b64encode(value).decode()} if isinstance(value, bytes) else value

    return canonical_json(
        {
            "properties": {name: plain(value) for name, value in properties.items()},
            "relationships": [dict(relationship) for relationship in relationships],
        }
    )


def decode_payload(payload: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Properties and relationships as :func:`encode_payload` took them."""
    document = json.loads(payload)
    properties = {
        name: base64.b64decode(value[_BYTES]) if isinstance(value, dict) and _BYTES in value else value
        for name, value in document["properties"].items()
    }
    return properties, document["relationships"]


def stub_properties(member: Mapping[str, Any], *, cycle_id: str, now: int, undo_days: float) -> dict[str, Any]:
    """The properties of the ``Forgotten`` node for a row of ``read_members``; ``now`` is epoch ms."""
    properties = member["properties"]
    return {
        "original_type": member["type"],
        "payload": encode_payload(properties, member["relationships"]),
        "fingerprint": properties.get("fingerprint"),
        "cycle_id": cycle_id,
        "forgotten_at": now,
        "purge_at": now + round(undo_days * _MS_PER_DAY),
    }
