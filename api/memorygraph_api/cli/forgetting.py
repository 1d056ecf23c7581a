"""``forget run`` and ``forget status``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memorygraph_api.cli.invocation import Invocation, operation

if TYPE_CHECKING:
    from memorygraph import Cycle, MemoryEngine
    from memorygraph.settings import Settings

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the group ``forget`` to ``app``."""
    group = typer.Typer(rich_markup_mode=None, help="Forget by fusing what has gone cold, and see how it went.")
    group.command("run")(run)
    group.command("status")(status)
    app.add_typer(group, name="forget")


@operation
def run(call: Invocation) -> None:
    """Run one forgetting cycle now.

    Memories that have gone cold are fused into summaries, which lead back to the originals.
    """

    async def cycle_now(engine: MemoryEngine, settings: Settings) -> Cycle:
        return await engine.forgetting.run(settings.end_user_id, trigger="manual", actor="cli")

    cycle = call.with_engine(cycle_now)
    call.answer(cycle.to_dict(), lambda terminal: terminal.cycle(cycle))


@operation
def status(
    call: Invocation,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=1000, help="Most cycles to show.")] = 10,
) -> None:
    """Show the latest forgetting cycles, newest first."""

    async def read(engine: MemoryEngine, settings: Settings) -> tuple[str, list[Cycle]]:
        return settings.end_user_id, await engine.forgetting.cycles(settings.end_user_id, limit=limit)

    user, cycles = call.with_engine(read)
    call.answer(
        {"end_user_id": user, "cycles": [cycle.to_dict() for cycle in cycles]},
        lambda terminal: terminal.cycles(user, cycles),
    )
