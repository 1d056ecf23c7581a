"""The schema that the migrations make is the one that the code is written for, on both back ends."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, create_engine, inspect, text
from sqlalchemy.pool import NullPool

from memorygraph.ledger.location import locate
from memorygraph.ledger.schema import HEAD, REVISIONS, VERSION_TABLE, bring_up_to_date, migration_config
from memorygraph.ledger.tables import metadata
from tests.contract.ledger.conftest import NewUrl


def engine_at(url: str) -> Engine:
    return create_engine(locate(url, data_dir=Path()).sync_url, poolclass=NullPool)


def differences(connection: Connection) -> list[Any]:
    context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
    found: list[Any] = compare_metadata(context, metadata)
    return found


def described(connection: Connection) -> dict[str, Any]:
    """All that the database knows of each table, names of constraints included."""
    inspector = inspect(connection)
    return {
        table: {
            "columns": [{**column, "type": str(column["type"])} for column in inspector.get_columns(table)],
            "primary key": inspector.get_pk_constraint(table),
            "foreign keys": inspector.get_foreign_keys(table),
            "unique": sorted(inspector.get_unique_constraints(table), key=str),
            "checks": sorted(inspector.get_check_constraints(table), key=str),
            "indexes": sorted(
                (
                    index["name"],
                    index["column_names"],
                    bool(index["unique"]),
                    {option: str(value) for option, value in index.get("dialect_options", {}).items()},
                )
                for index in inspector.get_indexes(table)
            ),
        }
        for table in metadata.tables
    }


def test_the_migrations_make_exactly_the_tables_of_the_code(new_url: NewUrl, tmp_path: Path) -> None:
    migrated_url, created_url = new_url(), new_url()
    bring_up_to_date(locate(migrated_url, data_dir=tmp_path))
    migrated, created = engine_at(migrated_url), engine_at(created_url)
    try:
        metadata.create_all(created)
        with migrated.begin() as connection:
            assert differences(connection) == []
            by_migration = described(connection)
        with created.begin() as connection:
            assert by_migration == described(connection)

        with migrated.begin() as connection:
            connection.execute(text("DROP INDEX ix_job_due"))
            connection.execute(text("ALTER TABLE lease ADD COLUMN extra TEXT"))
        with migrated.begin() as connection:
            assert len(differences(connection)) == 2, "a difference is seen when there is one"
            assert by_migration != described(connection)
    finally:
        migrated.dispose()
        created.dispose()


def test_the_known_revisions_are_those_of_the_migrations_files(new_url: NewUrl, tmp_path: Path) -> None:
    url = new_url()
    bring_up_to_date(locate(url, data_dir=tmp_path))
    engine = engine_at(url)
    try:
        with engine.connect() as connection:
            scripts = ScriptDirectory.from_config(migration_config(connection))
            assert connection.scalar(text(f"SELECT version_num FROM {VERSION_TABLE}")) == HEAD
    finally:
        engine.dispose()
    files = [script.revision for script in scripts.walk_revisions()]
    assert tuple(reversed(files)) == REVISIONS
    assert scripts.get_heads() == [HEAD]
