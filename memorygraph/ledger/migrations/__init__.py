"""The ledger's schema, as Alembic migrations; see :mod:`memorygraph.ledger.schema`."""
