"""A SQLite ledger for the worker."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memorygraph.ledger import Ledger


@pytest.fixture
async def ledger(tmp_path: Path) -> AsyncIterator[Ledger]:
    ledger = await Ledger.open(None, data_dir=tmp_path)
    yield ledger
    await ledger.close()
