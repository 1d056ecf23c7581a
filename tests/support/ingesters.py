"""Processes that ingest a document and work on it until they are killed, or kill themselves at a chosen moment.

Run as ``python -m tests.support.ingesters PLANS``, where PLANS are a JSON list of :class:`IngestPlan`.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import Any, Literal

from memorygraph.settings import Settings
from tests.support.checkout import CHECKOUT
from tests.support.ingestions import facts_document
from tests.support.writers import plan_for

__all__ = ["IngestPlan", "Moment", "expire_leases", "ingest_plan", "start_ingester"]

Moment = Literal["before the job is queued", "once it is acknowledged"]


@dataclass(frozen=True, kw_only=True)
class IngestPlan:
    """What an ingester does: a document of ``facts`` facts for ``end_user_id``, and die at ``dies`` if it is told."""

    settings: dict[str, str | float | None]
    end_user_id: str
    facts: int
    dies: Moment | None


def ingest_plan(settings: Settings, *, end_user_id: str, facts: int, dies: Moment | None = None) -> IngestPlan:
    """A plan on the store of ``settings``."""
    of = plan_for(settings, end_user_id=end_user_id, label="", count=0)
    return IngestPlan(settings=of.settings, end_user_id=end_user_id, facts=facts, dies=dies)


def start_ingester(*plans: IngestPlan) -> subprocess.Popen[str]:
    """Start one process for each plan, forked from one that has imported everything.

    Each writes the id of its job to the standard output once the ingestion is acknowledged.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MEMORYGRAPH_")}
    folders = [CHECKOUT, CHECKOUT / "cypher", CHECKOUT / "forgetting", CHECKOUT / "api"]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.support.ingesters", json.dumps([asdict(plan) for plan in plans])],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        cwd=CHECKOUT,
        env={**environment, "PYTHONPATH": os.pathsep.join(map(str, folders))},
    )


def expire_leases(settings: Settings) -> None:
    """Do to the SQLite ledger of ``settings`` what a minute does to the leases of workers that are dead."""
    with closing(sqlite3.connect(settings.data_dir / "ledger.sqlite", isolation_level=None)) as ledger:
        ledger.execute("UPDATE job SET lease_expires_at = 0 WHERE state = 'running'")


async def _ingest(plan: IngestPlan) -> None:
    from memorygraph import MemoryEngine, load_settings

    async with await MemoryEngine.open(load_settings(**plan.settings)) as engine:
        if plan.dies == "before the job is queued":
            setattr(engine.tools.ledger.jobs, "enqueue", _die)  # noqa: B010
        job = await engine.memory(plan.end_user_id).ingest(document=facts_document(plan.facts), source=plan.end_user_id)
        os.write(1, f"{job.id}\n".encode())
        if plan.dies == "once it is acknowledged":
            _die()  # the worker has had no turn of the event loop yet
        await asyncio.Event().wait()


def _die(*_: Any, **__: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _main(plans: list[IngestPlan]) -> None:
    for module in ("memorygraph.engine", "memorygraph.embedding.local", "memorygraph.ledger.schema", "alembic.command"):
        importlib.import_module(module)
    if len(plans) == 1:
        asyncio.run(_ingest(plans[0]))
    children = []
    for plan in plans:
        if (pid := os.fork()) == 0:
            asyncio.run(_ingest(plan))
        children.append(pid)
    for pid in children:
        os.waitpid(pid, 0)


if __name__ == "__main__":
    _main([IngestPlan(**plan) for plan in json.loads(sys.argv[1])])
