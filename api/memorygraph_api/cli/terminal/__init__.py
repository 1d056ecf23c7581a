"""What people see: tables and lines on standard output.

Text from a memory is printed as it is, never as markup, and its control characters are shown, not
obeyed. Colour follows the terminal and ``NO_COLOR``; without a terminal a line has 80 columns.
"""

from __future__ import annotations

from memorygraph_api.cli.terminal.auditing import AuditingPage
from memorygraph_api.cli.terminal.entities import EntitiesPage
from memorygraph_api.cli.terminal.erasing import ErasingPage
from memorygraph_api.cli.terminal.forgetting import ForgettingPage
from memorygraph_api.cli.terminal.jobs import JobsPage
from memorygraph_api.cli.terminal.memories import MemoriesPage
from memorygraph_api.cli.terminal.page import day
from memorygraph_api.cli.terminal.reviewing import ReviewingPage
from memorygraph_api.cli.terminal.upkeep import UpkeepPage

__all__ = ["Terminal", "day"]


class Terminal(
    MemoriesPage, EntitiesPage, ReviewingPage, AuditingPage, ErasingPage, JobsPage, ForgettingPage, UpkeepPage
):
    """Standard output for people, one method for each kind of result."""
