"""Remembering a file of items, line by line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from memorygraph.errors import InvalidInput
from memorygraph.ingest.decoding import decoded, json_lines
from memorygraph.memory.writing import MAX_BATCH
from memorygraph.records import BatchItem
from memorygraph_api.cli.arguments import bytes_of
from memorygraph_api.cli.failures import EXIT_ERROR
from memorygraph_api.wire import inward_item, outward

if TYPE_CHECKING:
    from memorygraph import Memory
    from memorygraph_api.cli.invocation import Invocation

__all__ = ["remember_file"]


def remember_file(call: Invocation, file: Path, defaults: Mapping[str, Any]) -> None:
    """Remember each line of ``file``, a JSON object; what it does not say, ``defaults`` say.

    A line that is no JSON refuses the file, and nothing is written then. One whose item cannot be taken
    does not keep the others: all are told, and the exit code is 1.
    """
    lines = list(json_lines(decoded(bytes_of(file))))
    told: dict[int, BatchItem] = {}
    items: list[tuple[int, dict[str, Any]]] = []
    for place, (_, value) in enumerate(lines):
        try:
            items.append((place, {**defaults, **inward_item(value)}))
        except InvalidInput as error:
            told[place] = BatchItem(position=place, outcome="failed", written=None, code=error.code, message=str(error))
    with call.progress("remembering") as move:
        call.with_memory(lambda memory: _remember(memory, items, told, move))
    done = [told[place] for place in range(len(lines))]
    numbers = [number for number, _ in lines]
    counts = Counter[str](item.outcome for item in done)
    call.answer(
        {
            "items": [{"line": line, **outward(item.to_dict())} for line, item in zip(numbers, done, strict=True)],
            "counts": dict(sorted(counts.items())),
        },
        lambda terminal: terminal.batch(numbers, done, counts),
    )
    if counts["failed"] or counts["refused"]:
        raise typer.Exit(EXIT_ERROR)


async def _remember(
    memory: Memory,
    items: list[tuple[int, dict[str, Any]]],
    told: dict[int, BatchItem],
    move: Callable[[int, int], None],
) -> None:
    before = len(told)
    for start in range(0, len(items), MAX_BATCH):
        part = items[start : start + MAX_BATCH]

        def moved(done: int, all: int, start: int = start) -> None:
            move(before + start + done, before + len(items))

        answers = await memory.remember_many([item for _, item in part], progress=moved)
        for (place, _), answer in zip(part, answers, strict=True):
            told[place] = replace(answer, position=place)
