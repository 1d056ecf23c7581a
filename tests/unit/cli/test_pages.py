"""What is drawn for people, and what is not where nobody looks."""

from __future__ import annotations

import io

from rich.console import Console

from memorygraph_api.cli.terminal.progress import progress_bar


def test_progress_is_drawn_on_a_terminal_and_nowhere_else() -> None:
    for is_terminal in (True, False):
        told = io.StringIO()
        with progress_bar("remembering [all]", Console(file=told, force_terminal=is_terminal, width=60)) as move:
            move(3, 12)
        assert ("3/12" in told.getvalue()) is is_terminal
        assert ("remembering [all]" in told.getvalue()) is is_terminal
