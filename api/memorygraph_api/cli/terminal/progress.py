"""A bar for what takes its time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

__all__ = ["progress_bar"]


@contextmanager
def progress_bar(doing: str, console: Console | None = None) -> Iterator[Callable[[int, int], None]]:
    """A bar while the context lasts, moved by calls with (done, all), and gone at its end.

    It is drawn on ``console``, default standard error, if that is a terminal.
    """
    errors = console or Console(stderr=True)
    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=errors,
        transient=True,
        # It would take what is printed on standard output along to standard error.
        redirect_stdout=False,
        redirect_stderr=False,
        disable=not errors.is_terminal,
    ) as bar:
        task = bar.add_task(doing, total=None)
        yield lambda done, all: bar.update(task, completed=done, total=all)
