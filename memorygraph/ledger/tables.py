"""The ledger's tables, once for SQLite and PostgreSQL.

Times are epoch milliseconds UTC. What is about memory (``at``, ``started_at``, …) is told by the
engine's clock; the columns listed in each table's comment as *database time* are told by
:func:`~memorygraph.ledger.database_time.database_now_ms`. No table holds a memory's text: rows
point at the graph by id, so that erasing a value there leaves nothing of it here.
``idempotent_reply.reply`` is the exception, and erasing deletes such rows.

A change here needs a migration; a test compares the two on both back ends.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

__all__ = [
    "api_key",
    "console_session",
    "decay_parameters",
    "erase_log",
    "event_view",
    "forgetting_cycle",
    "forgetting_failure",
    "forgetting_plan",
    "idempotent_reply",
    "job",
    "lease",
    "metadata",
    "secret",
    "store",
]

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    }
)

# A missing value is SQL NULL, never the JSON text "null": constraints and IS NULL must see it.
_Json = JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")


def _count(name: str) -> Column[int]:
    return Column(name, Integer, nullable=False, server_default=text("0"))


def _one_of(column: str, *values: str) -> CheckConstraint:
    quoted = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} IN ({quoted})", name=f"{column}_known")


def _not_negative(*columns: str) -> CheckConstraint:
    return CheckConstraint(" AND ".join(f"{column} >= 0" for column in columns), name="counts_not_negative")


# One row: whose ledger this is. `ready`: the graph is known to hold this store_id. created_at is database time.
store = Table(
    "store",
    metadata,
    Column("only_row", Integer, primary_key=True, autoincrement=False),
    Column("store_id", Text, nullable=False),
    Column("ready", Boolean, nullable=False, server_default=text("false")),
    Column("created_at", BigInteger, nullable=False),
    CheckConstraint("only_row = 1", name="one_row"),
)

# Keys that never leave the ledger. created_at is database time.
secret = Table(
    "secret",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", LargeBinary, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    CheckConstraint("length(value) >= 32", name="long_enough"),
)

# Every version of the decay parameters ever in force. The version is one sequence over all scopes, in the order of
# commits: the highest version that concerns a user names that user's effective parameters exactly.
decay_parameters = Table(
    "decay_parameters",
    metadata,
    Column("version", BigInteger, primary_key=True, autoincrement=False),
    Column("scope", Text, nullable=False),
    Column("end_user_id", Text),
    Column("values", _Json, nullable=False),
    Column("actor", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    _one_of("scope", "deployment", "user"),
    CheckConstraint("(scope = 'user') = (end_user_id IS NOT NULL)", name="user_named"),
    CheckConstraint("version >= 1", name="version_positive"),
    Index(None, "end_user_id", "version"),
)

# One row a cycle, written at its start. heartbeat_at is database time.
forgetting_cycle = Table(
    "forgetting_cycle",
    metadata,
    Column("id", Text, primary_key=True),
    Column("end_user_id", Text, nullable=False),
    Column("trigger_type", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("started_at", BigInteger, nullable=False),
    Column("finished_at", BigInteger),
    Column("duration_seconds", Float),
    _count("merged_count"),
    _count("failed_count"),
    _count("skipped_count"),
    _count("group_count"),
    _count("summary_count"),
    Column("average_activation_before", Float),
    Column("average_activation_after", Float),
    Column("sample_size", Integer),
    Column("total_nodes_before", Integer),
    Column("total_nodes_after", Integer),
    Column("low_activation_nodes", Integer),
    Column("parameters", _Json, nullable=False),
    Column("actor", Text, nullable=False),
    _count("llm_calls"),
    _count("llm_tokens"),
    Column("error", Text),
    Column("heartbeat_at", BigInteger, nullable=False),
    Column("fencing_token", BigInteger, nullable=False),
    # Plans and failures point here with their user, so that a row of one user cannot hang on another's cycle.
    UniqueConstraint("end_user_id", "id"),
    _one_of("trigger_type", "manual", "scheduled"),
    _one_of("status", "running", "succeeded", "partial", "failed", "cancelled"),
    CheckConstraint("(status = 'running') = (finished_at IS NULL)", name="finished_when_not_running"),
    _not_negative(
        "merged_count", "failed_count", "skipped_count", "group_count", "summary_count", "llm_calls", "llm_tokens"
    ),
    Index(None, "end_user_id", "started_at", "id"),
    # One cycle per user at a time, whatever the lease says.
    Index(
        "uq_forgetting_cycle_running",
        "end_user_id",
        unique=True,
        sqlite_where=text("status = 'running'"),
        postgresql_where=text("status = 'running'"),
    ),
)

# The groups a cycle chose, persisted before it works on them. updated_at is database time.
forgetting_plan = Table(
    "forgetting_plan",
    metadata,
    Column("end_user_id", Text, primary_key=True),
    Column("cycle_id", Text, primary_key=True),
    Column("group_no", Integer, primary_key=True, autoincrement=False),
    Column("entity_id", Text),
    Column("statement_ids", _Json, nullable=False),
    Column("pair_count", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("summary_id", Text),
    Column("reason", Text),
    Column("updated_at", BigInteger, nullable=False),
    ForeignKeyConstraint(
        ["end_user_id", "cycle_id"],
        ["forgetting_cycle.end_user_id", "forgetting_cycle.id"],
        name="fk_forgetting_plan_cycle",
        ondelete="CASCADE",
    ),
    _one_of("state", "pending", "fused", "failed", "skipped"),
    CheckConstraint("(state = 'fused') = (summary_id IS NOT NULL)", name="fused_has_summary"),
    CheckConstraint("group_no >= 0 AND pair_count >= 0", name="counts_not_negative"),
)

# One row a failed attempt. group_key names the same group across cycles. next_try_at null: set aside.
forgetting_failure = Table(
    "forgetting_failure",
    metadata,
    Column("id", Text, primary_key=True),
    Column("end_user_id", Text, nullable=False),
    Column("cycle_id", Text, nullable=False),
    Column("group_no", Integer, nullable=False),
    Column("group_key", Text, nullable=False),
    Column("cause", Text, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("next_try_at", BigInteger),
    Column("resolved_by", Text),
    Column("resolved_at", BigInteger),
    ForeignKeyConstraint(
        ["end_user_id", "cycle_id", "group_no"],
        ["forgetting_plan.end_user_id", "forgetting_plan.cycle_id", "forgetting_plan.group_no"],
        name="fk_forgetting_failure_plan",
        ondelete="CASCADE",
    ),
    UniqueConstraint("end_user_id", "cycle_id", "group_no", "attempt"),
    CheckConstraint("attempt >= 1", name="attempt_positive"),
    CheckConstraint("(resolved_by IS NULL) = (resolved_at IS NULL)", name="resolved_when_and_by"),
    Index(None, "end_user_id", "group_key", "attempt"),
)

# Durable work: queued → running → succeeded | failed | dead | cancelled. All its times are database time. dedupe_key:
# the same request twice is one job. progress is how far a resumed job need not go again. attempt, takeovers and
# outages count since the last progress; calls and tokens over all attempts.
job = Table(
    "job",
    metadata,
    Column("id", Text, primary_key=True),
    Column("end_user_id", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("dedupe_key", Text),
    Column("payload", _Json, nullable=False),
    Column("progress", _Json),
    Column("result", _Json),
    Column("error", Text),
    _count("attempt"),
    Column("max_attempts", Integer, nullable=False),
    Column("run_at", BigInteger, nullable=False),
    Column("holder", Text),
    Column("fencing_token", BigInteger, nullable=False, server_default=text("0")),
    Column("lease_expires_at", BigInteger),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Column("finished_at", BigInteger),
    Column("cancel_requested", Boolean, nullable=False, server_default=text("false")),
    Column("claimed_at", BigInteger),
    _count("takeovers"),
    _count("outages"),
    Column("outage_since", BigInteger),
    _count("calls"),
    _count("prompt_tokens"),
    _count("completion_tokens"),
    UniqueConstraint("end_user_id", "kind", "dedupe_key"),
    _one_of("state", "queued", "running", "succeeded", "failed", "dead", "cancelled"),
    CheckConstraint(
        "(state = 'running') = (holder IS NOT NULL) AND (state = 'running') = (lease_expires_at IS NOT NULL)",
        name="held_when_running",
    ),
    CheckConstraint("(state IN ('queued', 'running')) = (finished_at IS NULL)", name="finished_when_over"),
    CheckConstraint("attempt >= 0 AND max_attempts >= 1", name="attempts_in_range"),
    CheckConstraint("(outages > 0) = (outage_since IS NOT NULL)", name="outage_since_when"),
    _not_negative("takeovers", "outages", "calls", "prompt_tokens", "completion_tokens"),
    Index(None, "end_user_id", "created_at", "id"),
    # Whose turn it is: the user's oldest that waits, and when the user was last served.
    Index(
        "ix_job_waiting",
        "end_user_id",
        "run_at",
        "id",
        sqlite_where=text("state = 'queued'"),
        postgresql_where=text("state = 'queued'"),
    ),
    Index(None, "end_user_id", "claimed_at"),
    Index(
        "ix_job_due",
        "run_at",
        sqlite_where=text("state = 'queued'"),
        postgresql_where=text("state = 'queued'"),
    ),
    Index(
        "ix_job_abandoned",
        "lease_expires_at",
        sqlite_where=text("state = 'running'"),
        postgresql_where=text("state = 'running'"),
    ),
)

# One row a name for ever, so that its token never starts again. Times are database time.
lease = Table(
    "lease",
    metadata,
    Column("name", Text, primary_key=True),
    Column("holder", Text),
    Column("token", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
    CheckConstraint("token >= 1", name="token_positive"),
)

# A key is the 32 bytes of the SHA-256 of its secret. end_user_ids null: any user. Times are database time.
api_key = Table(
    "api_key",
    metadata,
    Column("id", Text, primary_key=True),
    Column("secret_hash", LargeBinary, nullable=False),
    Column("label", Text, nullable=False),
    Column("scopes", _Json, nullable=False),
    Column("end_user_ids", _Json),
    Column("created_at", BigInteger, nullable=False),
    Column("created_by", Text, nullable=False),
    Column("expires_at", BigInteger),
    Column("revoked_at", BigInteger),
    Column("revoked_by", Text),
    Column("last_used_at", BigInteger),
    CheckConstraint("length(secret_hash) = 32", name="sha256"),
    CheckConstraint("(revoked_at IS NULL) = (revoked_by IS NULL)", name="revoked_when_and_by"),
)

# The console's cookie sessions, by the SHA-256 of the cookie. Times are database time.
console_session = Table(
    "console_session",
    metadata,
    Column("id_hash", LargeBinary, primary_key=True),
    Column("api_key_id", Text, ForeignKey("api_key.id", ondelete="CASCADE"), nullable=False),
    Column("csrf_hash", LargeBinary, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("last_seen_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
    CheckConstraint("length(id_hash) = 32 AND length(csrf_hash) = 32", name="sha256"),
    Index(None, "api_key_id"),
    Index(None, "expires_at"),
)

# The reply once given to an idempotency key; the key itself sits on the graph's Event. Times are database time.
idempotent_reply = Table(
    "idempotent_reply",
    metadata,
    Column("end_user_id", Text, primary_key=True),
    Column("idempotency_key", Text, primary_key=True),
    Column("operation", Text, nullable=False),
    Column("request_hash", LargeBinary, nullable=False),
    Column("reply", _Json, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
    CheckConstraint("length(request_hash) = 32", name="sha256"),
    Index(None, "expires_at"),
)

# The events of the graph without payloads, laid out for reading; can be behind the graph, never ahead.
event_view = Table(
    "event_view",
    metadata,
    Column("end_user_id", Text, primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("at", BigInteger, nullable=False),
    Column("actor", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("target_id", Text),
    Column("target_type", Text),
    Column("cycle_id", Text),
    Column("idempotency_key", Text),
    Column("hash", Text, nullable=False),
    CheckConstraint("seq >= 1", name="seq_positive"),
    Index(None, "end_user_id", "target_id", "seq"),
    Index(None, "end_user_id", "cycle_id", "seq"),
    Index(None, "end_user_id", "action", "seq"),
    Index(None, "at"),
)

# What was erased, without what it was: applied again at start, so that a restored old graph resurrects nothing.
# An erasure is done when completed_at is set on all its rows. completed_at null: to be resumed.
erase_log = Table(
    "erase_log",
    metadata,
    Column("id", Text, primary_key=True),
    Column("erasure_id", Text, nullable=False),
    Column("end_user_id", Text, nullable=False),
    Column("target_id", Text),
    Column("target_type", Text),
    Column("fingerprint", Text),
    Column("normalisation_version", Integer),
    Column("actor", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("completed_at", BigInteger),
    CheckConstraint("target_id IS NOT NULL OR fingerprint IS NOT NULL", name="names_something"),
    CheckConstraint("(fingerprint IS NULL) = (normalisation_version IS NULL)", name="fingerprint_versioned"),
    Index(None, "erasure_id"),
    Index(None, "end_user_id", "at"),
    Index(
        "ix_erase_log_unfinished",
        "at",
        sqlite_where=text("completed_at IS NULL"),
        postgresql_where=text("completed_at IS NULL"),
    ),
)
