"""Which servers a ledger may live on."""

from __future__ import annotations

import pytest

from memorygraph.errors import ServerTooOld
from memorygraph.ledger.schema import refuse_older_server


@pytest.mark.parametrize("version", [(9, 6, 24), (13, 0), (14, 12)])
def test_a_postgresql_older_than_15_is_refused_with_its_version(version: tuple[int, ...]) -> None:
    with pytest.raises(ServerTooOld, match=r"14\.12|13\.0|9\.6\.24") as refusal:
        refuse_older_server(version)
    assert "15" in str(refusal.value.hint)


@pytest.mark.parametrize("version", [(15, 0), (16, 14), (18, 1)])
def test_a_postgresql_from_15_on_is_taken(version: tuple[int, ...]) -> None:
    refuse_older_server(version)
