"""The database's own time, as one SQL expression for both back ends.

Leases, sessions and key expiry are compared with this and never with a worker's clock: workers'
clocks differ, and the clock that is injected for memories may be simulated.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

__all__ = ["database_now_ms"]


class _DatabaseNow(FunctionElement[int]):
    type = BigInteger()
    inherit_cache = True


def database_now_ms() -> FunctionElement[int]:
    """SQL for epoch milliseconds UTC by the database's clock, read when the statement runs.

    On PostgreSQL it moves on within a transaction (``clock_timestamp``, not ``now``): a lease
    that was waited for is not judged by the time at which the waiting began.
    """
    return _DatabaseNow()


@compiles(_DatabaseNow, "postgresql")
def _postgresql(element: _DatabaseNow, compiler: SQLCompiler, **kw: Any) -> str:
    return "CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)"


@compiles(_DatabaseNow, "sqlite")
def _sqlite(element: _DatabaseNow, compiler: SQLCompiler, **kw: Any) -> str:
    # unixepoch('subsec') is newer than the SQLite of supported Pythons. A Julian day carries whole milliseconds,
    # and the double that holds it errs by 0.04 ms, so rounding is exact.
    return "CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER)"
