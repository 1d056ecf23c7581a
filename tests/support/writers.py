"""Processes that open a store, write to it, and say what was acknowledged: for races and kill -9.

Run as ``python -m tests.support.writers PLANS``, where PLANS are a JSON list of :class:`Plan`.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from memorygraph.settings import Settings

__all__ = ["Plan", "acknowledged", "plan_for", "start_writer"]

_ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a writer does: ``count`` memories for ``end_user_id``, texts beginning with ``label``; 0: until killed."""

    settings: dict[str, str | float | None]
    end_user_id: str
    label: str
    count: int


def plan_for(settings: Settings, *, end_user_id: str, label: str, count: int) -> Plan:
    """A plan on the store of ``settings``."""
    password, ledger = settings.neo4j_password, settings.ledger_url
    return Plan(
        settings={
            "data_dir": str(settings.data_dir),
            "embedded_idle_seconds": settings.embedded_idle_seconds,
            "neo4j_uri": settings.neo4j_uri,
            "neo4j_user": settings.neo4j_user,
            "neo4j_password": None if password is None else password.get_secret_value(),
            "ledger_url": None if ledger is None else ledger.get_secret_value(),
            "embedder_threads": 1,
        },
        end_user_id=end_user_id,
        label=label,
        count=count,
    )


def start_writer(*plans: Plan, under: Sequence[str] = ()) -> subprocess.Popen[str]:
    """Start one process for each plan, ``under`` another command such as strace if one is given.

    They are forked from one that has imported everything, whose exit code is the highest of theirs.
    What they say on its standard output is read with :func:`acknowledged`.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MEMORYGRAPH_")}
    folders = [_ROOT, _ROOT / "cypher", _ROOT / "forgetting", _ROOT / "api"]
    return subprocess.Popen(
        [*under, sys.executable, "-m", "tests.support.writers", json.dumps([asdict(plan) for plan in plans])],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        cwd=_ROOT,
        env={**environment, "PYTHONPATH": os.pathsep.join(map(str, folders))},
    )


def acknowledged(output: Iterable[str]) -> Iterator[dict[str, str]]:
    """What the writer was told is stored: ``id`` and ``text`` of each memory, as far as lines are whole."""
    for line in output:
        if not line.endswith("\n"):
            return
        yield json.loads(line)


async def _write(plan: Plan) -> None:
    from memorygraph import MemoryEngine, load_settings

    async with await MemoryEngine.open(load_settings(**plan.settings)) as engine:
        memory = engine.memory(plan.end_user_id)
        number = 0
        while number < plan.count or plan.count == 0:
            text = f"{plan.label}: parcel {number} went to dock {number % 7}"
            written = await memory.remember(text, entities=["dock", f"dock {number % 7}"], source=plan.label)
            # One write, so that lines of several processes do not mix.
            os.write(1, (json.dumps({"id": written.id, "text": text}) + "\n").encode())
            number += 1


def _main(plans: list[Plan]) -> int:
    if len(plans) == 1:
        asyncio.run(_write(plans[0]))
        return 0
    from memorygraph.embedding.local import load_bundled
    from memorygraph.settings import load_settings

    for module in ("memorygraph.engine", "memorygraph.embedding.local", "memorygraph.ledger.schema", "alembic.command"):
        importlib.import_module(module)
    settings = load_settings(**plans[0].settings)
    if (settings.data_dir / "models").exists():
        # A store that is there has its model, and on one thread a model may be loaded before the fork.
        load_bundled(data_dir=settings.data_dir, threads=settings.embedder_threads).load()
    children = []
    for plan in plans:
        if (pid := os.fork()) == 0:
            asyncio.run(_write(plan))
            os._exit(0)
        children.append(pid)
    return max(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children)


if __name__ == "__main__":
    sys.exit(_main([Plan(**plan) for plan in json.loads(sys.argv[1])]))
