"""Jobs can be cancelled, count what they cost, tell outages from failures, and take turns between users."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision = "0001"

_Json = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
_QUEUED = sa.text("state = 'queued'")
_RUNNING = sa.text("state = 'running'")

# SQLite copies the table into a new one, and has to be told all of it: it does not read checks back.
_before = sa.Table(
    "job",
    sa.MetaData(),
    sa.Column("id", sa.Text(), nullable=False),
    sa.Column("end_user_id", sa.Text(), nullable=False),
    sa.Column("kind", sa.Text(), nullable=False),
    sa.Column("state", sa.Text(), nullable=False),
    sa.Column("dedupe_key", sa.Text()),
    sa.Column("payload", _Json, nullable=False),
    sa.Column("progress", _Json),
    sa.Column("result", _Json),
    sa.Column("error", sa.Text()),
    sa.Column("attempt", sa.Integer(), server_default=sa.text("0"), nullable=False),
    sa.Column("max_attempts", sa.Integer(), nullable=False),
    sa.Column("run_at", sa.BigInteger(), nullable=False),
    sa.Column("holder", sa.Text()),
    sa.Column("fencing_token", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
    sa.Column("lease_expires_at", sa.BigInteger()),
    sa.Column("created_at", sa.BigInteger(), nullable=False),
    sa.Column("updated_at", sa.BigInteger(), nullable=False),
    sa.Column("finished_at", sa.BigInteger()),
    sa.CheckConstraint(
        "(state = 'running') = (holder IS NOT NULL) AND (state = 'running') = (lease_expires_at IS NOT NULL)",
        name="ck_job_held_when_running",
    ),
    sa.CheckConstraint("state IN ('queued', 'running', 'succeeded', 'failed', 'dead')", name="ck_job_state_known"),
    sa.CheckConstraint("attempt >= 0 AND max_attempts >= 1", name="ck_job_attempts_in_range"),
    sa.PrimaryKeyConstraint("id", name="pk_job"),
    sa.UniqueConstraint("end_user_id", "kind", "dedupe_key", name="uq_job_end_user_id_kind_dedupe_key"),
    sa.Index("ix_job_abandoned", "lease_expires_at", sqlite_where=_RUNNING, postgresql_where=_RUNNING),
    sa.Index("ix_job_due", "run_at", sqlite_where=_QUEUED, postgresql_where=_QUEUED),
    sa.Index("ix_job_end_user_id_created_at_id", "end_user_id", "created_at", "id"),
)


def upgrade() -> None:
    with op.batch_alter_table("job", copy_from=_before) as job:
        job.add_column(sa.Column("cancel_requested", sa.Boolean(), server_default=sa.text("false"), nullable=False))
        job.add_column(sa.Column("claimed_at", sa.BigInteger()))
        job.add_column(sa.Column("takeovers", sa.Integer(), server_default=sa.text("0"), nullable=False))
        job.add_column(sa.Column("outages", sa.Integer(), server_default=sa.text("0"), nullable=False))
        job.add_column(sa.Column("outage_since", sa.BigInteger()))
        for count in ("calls", "prompt_tokens", "completion_tokens"):
            job.add_column(sa.Column(count, sa.Integer(), server_default=sa.text("0"), nullable=False))
        job.drop_constraint(op.f("ck_job_state_known"), type_="check")
        job.create_check_constraint(
            op.f("ck_job_state_known"),
            "state IN ('queued', 'running', 'succeeded', 'failed', 'dead', 'cancelled')",
        )
        job.create_check_constraint(
            op.f("ck_job_finished_when_over"), "(state IN ('queued', 'running')) = (finished_at IS NULL)"
        )
        job.create_check_constraint(op.f("ck_job_outage_since_when"), "(outages > 0) = (outage_since IS NOT NULL)")
        job.create_check_constraint(
            op.f("ck_job_counts_not_negative"),
            "takeovers >= 0 AND outages >= 0 AND calls >= 0 AND prompt_tokens >= 0 AND completion_tokens >= 0",
        )
    op.create_index(
        "ix_job_waiting",
        "job",
        ["end_user_id", "run_at", "id"],
        sqlite_where=_QUEUED,
        postgresql_where=_QUEUED,
    )
    op.create_index(op.f("ix_job_end_user_id_claimed_at"), "job", ["end_user_id", "claimed_at"])
