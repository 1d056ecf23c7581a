"""Statements and questions for benchmarks: made up, all different, with names, numbers and shared words."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Said", "markdown", "questions", "statements"]

_PEOPLE = ["Ana", "Bo", "Priya", "Tomasz", "Wen", "Chidi", "Marta", "Yusuf", "Ingrid", "Rafael"]
_PLACES = ["Leeds", "Hull", "York", "Porto", "Graz", "Lund", "Nagoya", "Cusco", "Tallinn", "Galway"]
_THINGS = ["bicycle", "invoice", "greyhound", "violin", "boiler", "recipe", "passport", "garden", "server", "lease"]
_DEEDS = ["repaired", "sold", "lost", "painted", "ordered", "photographed", "insured", "borrowed", "moved", "cancelled"]
_WHEN = ["on Monday", "last spring", "before the storm", "in March", "at noon", "after work", "during the holidays"]


@dataclass(frozen=True, slots=True)
class Said:
    """One statement and the entities it mentions."""

    text: str
    entities: tuple[str, ...]


def statements(count: int, *, seed: int = 1) -> Iterator[Said]:
    """``count`` different statements of about fifteen words."""
    draw = random.Random(seed)
    for number in range(count):
        person, place = draw.choice(_PEOPLE), draw.choice(_PLACES)
        text = (
            f"{person} {draw.choice(_DEEDS)} the {draw.choice(_THINGS)} near {place} {draw.choice(_WHEN)} "
            f"and paid {draw.randint(10, 9999)} for it, receipt R-{number:06d}"
        )
        yield Said(text, (person, place))


def markdown(size: int, *, seed: int = 5) -> str:
    """A Markdown document of about ``size`` characters: sections of such statements."""
    parts: list[str] = []
    length = 0
    for number, said in enumerate(statements(size, seed=seed)):
        part = f"{said.text}. "
        if number % 12 == 0:
            part = f"\n\n## Week {number // 12 + 1}\n\n{part}"
        parts.append(part)
        length += len(part)
        if length >= size:
            break
    return "".join(parts).strip()


def questions(count: int, *, seed: int = 2) -> Iterator[str]:
    """``count`` questions about such statements."""
    draw = random.Random(seed)
    for _ in range(count):
        yield f"What did {draw.choice(_PEOPLE)} pay for the {draw.choice(_THINGS)} near {draw.choice(_PLACES)}?"
