"""``doctor`` and ``migrate``: commands about the store itself."""

from __future__ import annotations

import typer

from memorygraph.errors import ConfigurationError
from memorygraph_api.cli.failures import EXIT_ERROR
from memorygraph_api.cli.invocation import Invocation, shared_options

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the commands to ``app``."""
    app.command("doctor")(doctor)
    app.command("migrate")(migrate)


@shared_options(without=("end_user_id",))
def doctor(call: Invocation) -> None:
    """Check the settings, the graph server, the ledger and the embedder, and say what to do.

    The exit code is 1 when something is wrong.
    """
    import asyncio

    from memorygraph.doctor import diagnose
    from memorygraph.records import Check

    try:
        settings = call.settings()
    except ConfigurationError as error:
        checks = [Check(name="settings", ok=False, detail=error.message, advice=error.hint)]
    else:
        checks = asyncio.run(diagnose(settings))
    healthy = all(check.ok for check in checks)
    call.answer(
        {"ok": healthy, "checks": [check.to_dict() for check in checks]},
        lambda terminal: terminal.checks(checks),
    )
    if not healthy:
        raise typer.Exit(EXIT_ERROR)


@shared_options(without=("end_user_id",))
def migrate(call: Invocation) -> None:
    """Bring the graph and the ledger to this version's schema. Starting the engine does it too."""
    import asyncio

    from memorygraph.migrate import migrate as migrate_stores

    migrated = asyncio.run(migrate_stores(call.settings()))
    call.answer(
        {
            "graph": {"before": migrated.graph_before, "after": migrated.graph_after},
            "ledger": {"before": migrated.ledger_before, "after": migrated.ledger_after},
        },
        lambda terminal: terminal.migrated(migrated),
    )
