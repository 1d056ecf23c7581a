"""Jobs as people see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.text import Text

from memorygraph_api.cli.terminal.page import Page, moment
from memorygraph_api.wire import plain

if TYPE_CHECKING:
    from memorygraph.runs import Job

__all__ = ["JobsPage"]


class JobsPage(Page):
    """What the verbs of jobs answer."""

    def jobs(self, found: Sequence[Job]) -> None:
        """Jobs, one a line."""
        if not found:
            self.say("No jobs.")
            return
        table = self.table(("queued", "left"), ("kind", "left"), ("state", "left"), ("what came of it", "left"))
        for job in found:
            cell = Text(plain(job.error or _told(job.result or (job.progress or {}).get("counts"))))
            cell.append(f"\n{job.id}", style="dim")
            table.add_row(moment(job.created_at), job.kind, job.state, cell)
        self.console.print(table)

    def job(self, job: Job) -> None:
        """One job: where it is, and what came of it."""
        stopping = ", to be stopped" if job.cancel_requested and job.finished_at is None else ""
        self.say(f"{job.kind.capitalize()} {job.state}{stopping}: {job.id}", "bold")
        so_far = job.result or (job.progress or {}).get("counts")
        if so_far:
            self.say(_told(so_far))
        if job.calls:
            self.say(
                f"{job.calls:,} calls of the language model, {job.prompt_tokens:,} tokens in, "
                f"{job.completion_tokens:,} out"
            )
        if job.error is not None:
            self.say(f"error: {job.error}", "red")
        if job.state == "queued" and job.run_at > job.updated_at:
            self.say(f"to be tried again from {moment(job.run_at)} on", "yellow")

    def jobs_run(self, counts: Mapping[str, int], *, idle: bool, degraded: str | None) -> None:
        """How many jobs of all users are in which state, after they were worked on."""
        self.say("No job is due." if idle else "The time was too short: jobs are still due.", "bold")
        if any(counts.values()):
            self.say(_told(counts))
        if degraded is not None:
            self.say(f"no language model: {degraded}", "yellow")


def _told(counts: Mapping[str, Any] | None) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {number:,}" for name, number in (counts or {}).items() if number)
