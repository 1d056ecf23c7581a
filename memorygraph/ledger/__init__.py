"""The ledger: what the engine keeps beside the graph, in a SQLite file or a PostgreSQL database.

Parameters, forgetting cycles, leases, jobs, keys and the store's identity. The graph is the truth
about memories; the ledger may be behind it, never ahead.
"""

from memorygraph.ledger.cycle_records import (
    CycleFigures,
    CycleRecord,
    CycleStatus,
    FailureRecord,
    FinalStatus,
    GroupState,
    PlannedGroup,
    TriggerType,
)
from memorygraph.ledger.job_records import JobRecord, JobState
from memorygraph.ledger.leases import Lease
from memorygraph.ledger.ledger import Ledger
from memorygraph.ledger.location import LedgerLocation
from memorygraph.ledger.parameters import DEPLOYMENT, ParameterScope, ParameterVersion
from memorygraph.ledger.store_identity import StoreIdentity

__all__ = [
    "DEPLOYMENT",
    "CycleFigures",
    "CycleRecord",
    "CycleStatus",
    "FailureRecord",
    "FinalStatus",
    "GroupState",
    "JobRecord",
    "JobState",
    "Lease",
    "Ledger",
    "LedgerLocation",
    "ParameterScope",
    "ParameterVersion",
    "PlannedGroup",
    "StoreIdentity",
    "TriggerType",
]
