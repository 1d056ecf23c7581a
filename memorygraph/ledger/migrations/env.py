"""Run by Alembic: migrates on the connection, and in the transaction, of :mod:`memorygraph.ledger.schema`."""

from __future__ import annotations

from alembic import context

from memorygraph.ledger.schema import VERSION_TABLE
from memorygraph.ledger.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
    # SQLite alters little in place; a batch copies the table instead.
    render_as_batch=True,
    # Alembic takes SQLite's DDL for not transactional, as old Python drivers made it.
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
