from __future__ import annotations

from pathlib import Path

import pytest

from memorygraph.graph.embedded.layout import DataFolderLayout
from memorygraph.graph.embedded.password import ensure_password


@pytest.fixture
def layout(tmp_path: Path) -> DataFolderLayout:
    layout = DataFolderLayout(tmp_path)
    layout.create()
    return layout


def test_a_folder_keeps_its_password_and_shares_it_with_no_other(layout: DataFolderLayout, tmp_path: Path) -> None:
    other = DataFolderLayout(tmp_path / "other")
    other.create()

    password = ensure_password(layout)

    assert len(password) >= 40
    assert ensure_password(layout) == password
    assert ensure_password(other) != password
    assert layout.password_file.stat().st_mode & 0o777 == 0o600


def test_a_password_file_that_others_could_read_is_closed(layout: DataFolderLayout) -> None:
    password = ensure_password(layout)
    layout.password_file.chmod(0o644)

    assert ensure_password(layout) == password

    assert layout.password_file.stat().st_mode & 0o777 == 0o600


def test_a_lost_password_takes_the_accounts_that_knew_it_along(layout: DataFolderLayout) -> None:
    ensure_password(layout)
    layout.users_file.write_text("{}")
    ensure_password(layout)
    assert layout.users_file.exists()

    layout.password_file.unlink()
    ensure_password(layout)

    assert not layout.users_file.exists()
