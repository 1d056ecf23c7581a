"""``jobs …``: the durable work, such as ingestions."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from memorygraph_api.cli.failures import EXIT_ERROR
from memorygraph_api.cli.invocation import Invocation, operation, shared_options

if TYPE_CHECKING:
    from memorygraph import Memory, MemoryEngine
    from memorygraph.runs import Job
    from memorygraph.settings import Settings

__all__ = ["STATES", "answer_with", "followed", "register"]

_LOOK_EVERY = 0.5  # seconds
STATES = ("queued", "running", "succeeded", "failed", "dead", "cancelled")

_JobId = Annotated[str, typer.Argument(metavar="JOB_ID", help="Id of a job.")]
_Timeout = Annotated[
    float | None, typer.Option("--timeout", metavar="SECONDS", min=0, help="Wait no longer; without end if unset.")
]


def register(app: typer.Typer) -> None:
    """Add the group ``jobs`` to ``app``."""
    group = typer.Typer(rich_markup_mode=None, help="The durable work, such as ingestions.")
    group.command("list")(list_jobs)
    for command in (show, wait, cancel, requeue, run):
        group.command(command.__name__)(command)
    app.add_typer(group, name="jobs")


def _complete_state(incomplete: str) -> list[str]:
    return [state for state in STATES if state.startswith(incomplete)]


@operation
def list_jobs(
    call: Invocation,
    *,
    states: Annotated[
        list[str] | None,
        typer.Option(
            "--state",
            metavar="STATE",
            help=f"Only jobs that are {', '.join(STATES[:-1])} or {STATES[-1]}; may be repeated.",
            autocompletion=_complete_state,
        ),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="Most jobs to show, up to 1,000.")] = 20,
    before: Annotated[
        str | None, typer.Option("--before", metavar="JOB_ID", help="Only jobs older than this one.")
    ] = None,
) -> None:
    """Show the jobs of one user, newest first."""
    found = call.with_memory(lambda memory: memory.jobs.list(states=states or None, limit=limit, before=before))
    call.answer({"jobs": [job.to_dict() for job in found]}, lambda terminal: terminal.jobs(found))


@operation
def show(call: Invocation, job_id: _JobId) -> None:
    """Show one job: how far it is, and what came of it."""
    job = call.with_memory(lambda memory: memory.jobs.get(job_id))
    call.answer(job.to_dict(), lambda terminal: terminal.job(job))


@operation
def wait(call: Invocation, job_id: _JobId, *, timeout: _Timeout = None) -> None:
    """Wait until one job has come to its end, and work on what is due meanwhile.

    The exit code is 1 unless it succeeded.
    """
    with call.progress("waiting") as move:
        job = call.with_memory(lambda memory: followed(memory, job_id, move, timeout=timeout))
    answer_with(call, job)


@operation
def cancel(call: Invocation, job_id: _JobId) -> None:
    """Stop one job: one that waits at once, one that runs between two of its parts. What it wrote stays."""
    job = call.with_memory(lambda memory: memory.jobs.cancel(job_id))
    call.answer(job.to_dict(), lambda terminal: terminal.job(job))


@operation
def requeue(call: Invocation, job_id: _JobId) -> None:
    """Have one failed, dead or cancelled job tried again, from where it had got to."""
    job = call.with_memory(lambda memory: memory.jobs.requeue(job_id))
    call.answer(job.to_dict(), lambda terminal: terminal.job(job))


@shared_options(without=("end_user_id",))
def run(call: Invocation, *, timeout: _Timeout = None) -> None:
    """Work on the jobs of all users until none is due.

    A job that was put off, because a model was away, is not due before its time. The exit code is 1
    when the time was too short.
    """

    async def work(engine: MemoryEngine, _: Settings) -> tuple[bool, dict[str, int], str | None]:
        idle = True
        try:
            await engine.background.run_until_idle(timeout=timeout)
        except TimeoutError:
            idle = False
        counts = await engine.store.ledger.jobs.counts()
        return idle, {str(state): number for state, number in counts.items()}, engine.background.degraded

    idle, counts, degraded = call.with_engine(work)
    call.answer(
        {"idle": idle, "jobs": counts, "degraded": degraded},
        lambda terminal: terminal.jobs_run(counts, idle=idle, degraded=degraded),
    )
    if not idle:
        raise typer.Exit(EXIT_ERROR)


async def followed(
    memory: Memory, job_id: str, move: Callable[[int, int], None], *, timeout: float | None, put_off: bool = True
) -> Job:
    """The job at its end, or as it is after ``timeout`` seconds; ``move`` is told how far it is meanwhile.

    Unless ``put_off`` is waited for too, also the job that is to be tried again later.
    """
    deadline = None if timeout is None else time.monotonic() + timeout
    while True:
        left = _LOOK_EVERY if deadline is None else min(_LOOK_EVERY, max(0.0, deadline - time.monotonic()))
        try:
            return await memory.jobs.wait(job_id, timeout=left)
        except TimeoutError:
            job = await memory.jobs.get(job_id)
        move(*_so_far(job))
        late = deadline is not None and time.monotonic() >= deadline
        if late or (not put_off and job.state == "queued" and job.error is not None):
            return job


def answer_with(call: Invocation, job: Job) -> None:
    """Answer with a job that was waited for; the exit code is 1 unless it succeeded."""
    call.answer(job.to_dict(), lambda terminal: terminal.job(job))
    if job.state != "succeeded":
        raise typer.Exit(EXIT_ERROR)


def _so_far(job: Job) -> tuple[int, int]:
    """Parts done and parts in all, as far as they are known."""
    told = job.progress or {}
    chunks = told.get("chunks", ())
    done = told.get("turns", 0) + sum(at["done"] for at in chunks)
    return done, told.get("of_turns", 0) + sum(at["of"] for at in chunks)
