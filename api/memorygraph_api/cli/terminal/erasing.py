"""Erasures as people see them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from memorygraph_api.cli.terminal.page import Page

if TYPE_CHECKING:
    from memorygraph.erasing.records import Erased

__all__ = ["ErasingPage"]


class ErasingPage(Page):
    """What ``erase`` answers."""

    def erased(self, erased: Erased) -> None:
        """What went, or would go."""
        parts = (
            ("statements", erased.statements),
            ("summaries, made anew or removed", erased.summaries),
            ("entities", erased.entities),
            ("episodes", erased.episodes),
            ("episodes of which a part was blanked", erased.blanked),
        )
        self.say("Would be erased:" if erased.id is None else f"Erased, as {erased.id}:", "bold")
        for name, ids in parts:
            if ids:
                self.say(f"{name}: {len(ids):,}")
                if erased.id is None:
                    self.console.print(Text("\n".join(f"  {id}" for id in ids), style="dim"))
        if not any(ids for _, ids in parts):
            self.say("nothing that is there")
