"""Which ledger a URL names."""

from __future__ import annotations

from pathlib import Path

import pytest

from memorygraph.errors import ConfigurationError
from memorygraph.ledger.location import locate

DATA = Path("/data")


def test_without_a_url_it_is_a_file_in_the_data_folder() -> None:
    location = locate(None, data_dir=DATA)
    assert (location.kind, location.path) == ("sqlite", DATA / "ledger.sqlite")


@pytest.mark.parametrize("url", ["sqlite:////var/lib/l.sqlite", "sqlite+aiosqlite:////var/lib/l.sqlite"])
def test_a_sqlite_url_names_a_file(url: str) -> None:
    location = locate(url, data_dir=DATA)
    assert location.path == Path("/var/lib/l.sqlite")
    assert location.url.drivername == "sqlite+aiosqlite"
    assert location.sync_url.drivername == "sqlite+pysqlite"


def test_a_relative_file_is_made_absolute_and_a_home_expanded() -> None:
    assert locate("sqlite:///l.sqlite", data_dir=DATA).path == Path.cwd() / "l.sqlite"
    assert locate("sqlite:///~/l.sqlite", data_dir=DATA).path == Path.home() / "l.sqlite"


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
def test_a_postgresql_url_names_a_database(scheme: str) -> None:
    location = locate(f"{scheme}://ana:secret@db.example:5433/memory?sslmode=require", data_dir=DATA)
    assert (location.kind, location.path) == ("postgresql", None)
    assert location.sync_url == location.url
    assert (
        location.url.render_as_string(hide_password=False)
        == "postgresql+psycopg://ana:secret@db.example:5433/memory?sslmode=require"
    )


def test_a_password_is_shown_nowhere() -> None:
    location = locate("postgresql://ana:hunter2@db/memory", data_dir=DATA)
    assert "ana" in str(location)
    assert "hunter2" not in str(location)
    assert "hunter2" not in repr(location)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "ledger.sqlite",
        "mysql://ana:hunter2@db/memory",
        "postgresql+asyncpg://ana:hunter2@db/memory",
        "postgresql://ana:hunter2@db:port/memory",
        "sqlite://",
        "sqlite:///:memory:",
        "sqlite:///file:l.sqlite?uri=true",
        "sqlite:///l.sqlite?mode=ro",
    ],
)
def test_a_url_that_cannot_hold_a_ledger_is_refused_with_the_forms_that_can(url: str) -> None:
    with pytest.raises(ConfigurationError) as refusal:
        locate(url, data_dir=DATA)
    assert refusal.value.hint
    assert "postgresql://" in refusal.value.hint
    assert "hunter2" not in str(refusal.value)
