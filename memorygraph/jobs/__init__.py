"""Durable work in the background: what runs the ledger's jobs, and what becomes of those that fail."""

from memorygraph.jobs.backoff import DEFAULT_BACKOFF, Backoff
from memorygraph.jobs.running import JobCancelled, RunningJob
from memorygraph.jobs.worker import Handler, JobWorker

__all__ = ["DEFAULT_BACKOFF", "Backoff", "Handler", "JobCancelled", "JobWorker", "RunningJob"]
