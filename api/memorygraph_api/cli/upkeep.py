"""``doctor``, ``migrate`` and ``compact``: commands about the store itself."""

from __future__ import annotations

from typing import Annotated

import typer

from memorygraph.errors import ConfigurationError
from memorygraph_api.cli.failures import EXIT_ERROR
from memorygraph_api.cli.invocation import Invocation, shared_options

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the commands to ``app``."""
    app.command("doctor")(doctor)
    app.command("migrate")(migrate)
    app.command("compact")(compact)


@shared_options(without=("end_user_id",))
def doctor(
    call: Invocation,
    deep: Annotated[bool, typer.Option("--deep", help="Look through every memory of every user, too.")] = False,
) -> None:
    """Check the settings, the graph server, the ledger and the embedder, and say what to do.

    The exit code is 1 when something is wrong. With --deep every memory is read, and whatever in it
    contradicts the rest of the store is told with its ids; nothing is changed.
    """
    import asyncio

    from memorygraph.doctor import diagnose
    from memorygraph.records import Check

    try:
        settings = call.settings()
    except ConfigurationError as error:
        checks = [Check(name="settings", ok=False, detail=error.message, advice=error.hint)]
    else:
        checks = asyncio.run(diagnose(settings, deep=deep))
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


@shared_options(without=("end_user_id", "embedder"))
def compact(call: Invocation) -> None:
    """Make the store's files anew, so that deleted text is in none of them. Nobody else may use it meanwhile.

    A Neo4j server keeps deleted text in its own files; then only the ledger is done, and the exit code is 1.
    """
    import asyncio

    from memorygraph.compact import compact as compact_stores

    compacted = asyncio.run(compact_stores(call.settings()))
    graph, ledger = compacted.graph, compacted.ledger
    call.answer(
        {
            "graph": graph
            and {
                "records": graph.records,
                "bytes_before": graph.bytes_before,
                "bytes_after": graph.bytes_after,
                "kept": [str(path) for path in graph.kept],
            },
            "ledger": {"bytes_before": ledger.bytes_before, "bytes_after": ledger.bytes_after},
            "refusal": compacted.refusal,
        },
        lambda terminal: terminal.compacted(compacted),
    )
    if compacted.refusal is not None:
        raise typer.Exit(EXIT_ERROR)
