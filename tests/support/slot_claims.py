"""Claims of where Ana lives, and what is told of them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from memorygraph import Memory

__all__ = ["LIVES", "SINCE", "held", "live", "lives", "lives_since", "true_in", "year"]

LIVES: dict[str, Any] = {"subject": "Ana", "predicate": "lives in"}
SINCE = {"Leeds": 2020, "York": 2022, "Paris": 2024, "Rome": 2025}


def lives(city: str, **more: Any) -> dict[str, Any]:
    return {"text": f"Ana lives in {city}", "value": city, **LIVES, **more}


def lives_since(city: str, **more: Any) -> dict[str, Any]:
    since = datetime(SINCE[city], 1, 1, tzinfo=UTC)
    return lives(city, functional=True, valid_from=since, relations=[("Ana", "lives in", city)], **more)


async def held(memory: Memory, year: int) -> set[str]:
    """The values that held in the middle of a year, as every reading has them; one that differs has its name in it."""
    at = datetime(year, 6, 1, tzinfo=UTC)
    listed = {str(record.value) for record in (await memory.list(as_of_valid=at)).items}
    recalled = {str(hit.memory.value) for hit in (await memory.recall("Where does Ana live", as_of_valid=at)).hits}
    related = {of.object.name for of in await memory.entities.relations("Ana", as_of_valid=at)}
    return listed if listed == recalled == related else {*listed, f"recalled {recalled}", f"related {related}"}


async def live(memory: Memory) -> set[str]:
    return {str(record.value) for record in (await memory.list()).items}


async def true_in(memory: Memory, year: int) -> set[str]:
    listed = await memory.list(as_of_valid=datetime(year, 6, 1, tzinfo=UTC))
    return {str(record.value) for record in listed.items}


def year(number: int) -> datetime:
    return datetime(number, 1, 1, tzinfo=UTC)
