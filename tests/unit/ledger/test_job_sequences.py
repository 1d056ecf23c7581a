"""The life of jobs under any sequence of what people, workers and time may do, on a real SQLite file."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select, update

from memorygraph.errors import Conflict, LeaseLost
from memorygraph.ledger import JobRecord, JobState, Ledger
from memorygraph.ledger.database import Database
from memorygraph.ledger.location import locate
from memorygraph.ledger.schema import bring_up_to_date
from memorygraph.ledger.tables import job as job_table

MAX_ATTEMPTS = 2
LEASE = 3600.0

Telling = Literal["beat", "progress", "succeed", "retry", "postpone", "release", "fail", "stop"]


@dataclass(frozen=True)
class Enqueue:
    user: str
    key: str | None


@dataclass(frozen=True)
class Claim:
    limit: int


@dataclass(frozen=True)
class Tell:
    what: Telling
    nth: int  # of all claims so far


@dataclass(frozen=True)
class Ask:
    what: Literal["cancel", "requeue", "delete", "expire"]
    nth: int  # of all jobs so far


Step = Enqueue | Claim | Tell | Ask
NTH = st.integers(0, 7)
STEPS: st.SearchStrategy[Step] = st.one_of(
    st.builds(Enqueue, user=st.sampled_from(["alice", "bob"]), key=st.sampled_from([None, "k"])),
    st.builds(Claim, limit=st.integers(1, 3)),
    st.builds(
        Tell,
        what=st.sampled_from(["beat", "progress", "succeed", "retry", "postpone", "release", "fail", "stop"]),
        nth=NTH,
    ),
    st.builds(Ask, what=st.sampled_from(["cancel", "requeue", "delete", "expire"]), nth=NTH),
)


@dataclass(frozen=True)
class Expected:
    """What is to be known of a job, told without a database."""

    state: JobState = "queued"
    attempt: int = 0
    takeovers: int = 0
    outages: int = 0
    token: int = 0
    cancel_requested: bool = False
    expired: bool = False

    def claimed(self) -> Expected | None:
        """The job once a worker asked for jobs and got it, or ended it; None: it was not there to be had."""
        if self.state == "queued":
            return replace(self, state="running", attempt=self.attempt + 1, token=self.token + 1)
        if self.state != "running" or not self.expired:
            return None
        if self.cancel_requested:
            return replace(self, state="cancelled", expired=False)
        return replace(self, takeovers=self.takeovers + 1, token=self.token + 1, expired=False)

    def told(self, what: Telling) -> Expected:
        back: JobState = "cancelled" if self.cancel_requested else "queued"
        after = self
        match what:
            case "progress":
                after = replace(self, attempt=1, takeovers=0, outages=0)
            case "succeed":
                after = replace(self, state="succeeded", outages=0)
            case "retry":
                used_up = self.attempt >= MAX_ATTEMPTS and not self.cancel_requested
                after = replace(self, state="dead" if used_up else back, outages=0)
            case "postpone":
                after = replace(self, state=back, attempt=self.attempt - 1, outages=self.outages + 1)
            case "release":
                after = replace(self, state=back, attempt=self.attempt - 1)
            case "fail":
                after = replace(self, state="failed")
            case "stop":
                after = replace(self, state="cancelled")
        return replace(after, expired=False)

    def cancelled(self) -> Expected | None:
        if self.state == "queued":
            return replace(self, state="cancelled", cancel_requested=True)
        return replace(self, cancel_requested=True) if self.state in ("running", "cancelled") else None

    def requeued(self) -> Expected | None:
        if self.state not in ("failed", "dead", "cancelled"):
            return None
        return replace(self, state="queued", attempt=0, takeovers=0, outages=0, cancel_requested=False)

    def is_met_by(self, job: JobRecord) -> bool:
        return (job.state, job.attempt, job.takeovers, job.outages, job.fencing_token, job.cancel_requested) == (
            self.state,
            self.attempt,
            self.takeovers,
            self.outages,
            self.token,
            self.cancel_requested,
        )


class World:
    """A ledger and what is expected of it."""

    def __init__(self, ledger: Ledger, database: Database) -> None:
        self.ledger, self.database = ledger, database
        self.jobs: list[JobRecord] = []  # as queued; deleted ones stay, so that the numbers do
        self.expected: dict[str, Expected] = {}
        self.claims: list[JobRecord] = []
        self.steps_forward = 0

    async def enqueue(self, step: Enqueue) -> None:
        job = await self.ledger.jobs.enqueue(
            step.user, kind="x", payload={}, dedupe_key=step.key, max_attempts=MAX_ATTEMPTS
        )
        same = [
            old.id
            for old in self.jobs
            if old.id in self.expected
            and step.key is not None
            and (old.end_user_id, old.dedupe_key) == (step.user, step.key)
        ]
        if same:
            assert [job.id] == same
        else:
            self.jobs.append(job)
            self.expected[job.id] = Expected()

    async def claim(self, step: Claim) -> None:
        got = await self.ledger.jobs.claim(holder="w", kinds=["x"], lease_seconds=LEASE, limit=step.limit)
        after = {job_id: now for job_id, was in self.expected.items() if (now := was.claimed()) is not None}
        ended = {job_id: now for job_id, now in after.items() if now.state != "running"}
        assert len(got) == min(step.limit, len(after) - len(ended))
        assert len({job.id for job in got}) == len(got)
        self.expected |= ended | {job.id: after[job.id] for job in got}
        self.claims += got

    async def tell(self, what: Telling, claim: JobRecord) -> None:
        jobs, was = self.ledger.jobs, self.expected.get(claim.id)
        may = was is not None and was.state == "running" and was.token == claim.fencing_token
        self.steps_forward += 1
        telling: dict[Telling, Callable[[], Awaitable[JobRecord]]] = {
            "beat": lambda: jobs.heartbeat(claim, LEASE),
            "progress": lambda: jobs.heartbeat(claim, LEASE, progress={"done": self.steps_forward}),
            "succeed": lambda: jobs.succeed(claim, {"done": 1}),
            "retry": lambda: jobs.retry(claim, "KeyError", 0),
            "postpone": lambda: jobs.postpone(claim, "model_unavailable", 0),
            "release": lambda: jobs.release(claim),
            "fail": lambda: jobs.fail(claim, "not_found"),
            "stop": lambda: jobs.confirm_cancel(claim),
        }
        try:
            await telling[what]()
        except LeaseLost:
            assert not may
        else:
            assert may
            assert was is not None
            self.expected[claim.id] = was.told(what)

    async def ask(self, step: Ask, job: JobRecord) -> None:
        was = self.expected[job.id]
        match step.what:
            case "delete":
                assert await self.ledger.jobs.delete(job.end_user_id, [job.id]) == 1
                del self.expected[job.id]
            case "expire":
                past = update(job_table).where(job_table.c.id == job.id, job_table.c.state == "running")
                await self.database.write_rows(past.values(lease_expires_at=1))
                self.expected[job.id] = replace(was, expired=was.state == "running")
            case "cancel" | "requeue":
                after = was.cancelled() if step.what == "cancel" else was.requeued()
                act = self.ledger.jobs.cancel if step.what == "cancel" else self.ledger.jobs.requeue
                try:
                    await act(job.end_user_id, job.id)
                except Conflict:
                    assert after is None
                else:
                    assert after is not None
                    self.expected[job.id] = after

    async def check(self) -> None:
        rows = await self.database.read_rows(select(job_table))
        found = {row["id"]: JobRecord.from_row(row) for row in rows}
        assert found.keys() == self.expected.keys(), "nothing is lost and nothing comes by itself"
        for job_id, expected in self.expected.items():
            assert expected.is_met_by(found[job_id]), (expected, found[job_id])


@pytest.fixture(scope="module")
def empty_ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a ledger with nothing in it, to be copied: making it takes longer than what is done to it."""
    path = tmp_path_factory.mktemp("ledger") / "ledger.sqlite"
    bring_up_to_date(locate(f"sqlite:///{path}", data_dir=path.parent))
    return path


@settings(max_examples=20)
@given(steps=st.lists(STEPS, min_size=5, max_size=30))
async def test_jobs_do_what_the_model_does_whatever_happens(empty_ledger: Path, steps: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(empty_ledger, folder)
        ledger = await Ledger.open(None, data_dir=Path(folder))
        database = Database(ledger.location)
        world = World(ledger, database)
        try:
            for step in steps:
                match step:
                    case Enqueue():
                        await world.enqueue(step)
                    case Claim():
                        await world.claim(step)
                    case Tell(what, nth) if nth < len(world.claims):
                        await world.tell(what, world.claims[-1 - nth])
                    case Ask(_, nth) if nth < len(world.jobs) and world.jobs[nth].id in world.expected:
                        await world.ask(step, world.jobs[nth])
                    case _:
                        pass
                await world.check()
        finally:
            await database.close()
            await ledger.close()
