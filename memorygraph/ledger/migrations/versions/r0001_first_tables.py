"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None

_Json = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    op.create_table(
        "api_key",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("secret_hash", sa.LargeBinary(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("scopes", _Json, nullable=False),
        sa.Column("end_user_ids", _Json),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("expires_at", sa.BigInteger()),
        sa.Column("revoked_at", sa.BigInteger()),
        sa.Column("revoked_by", sa.Text()),
        sa.Column("last_used_at", sa.BigInteger()),
        sa.CheckConstraint("(revoked_at IS NULL) = (revoked_by IS NULL)", name=op.f("ck_api_key_revoked_when_and_by")),
        sa.CheckConstraint("length(secret_hash) = 32", name=op.f("ck_api_key_sha256")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_key")),
    )
    op.create_table(
        "decay_parameters",
        sa.Column("version", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("end_user_id", sa.Text()),
        sa.Column("values", _Json, nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("(scope = 'user') = (end_user_id IS NOT NULL)", name=op.f("ck_decay_parameters_user_named")),
        sa.CheckConstraint("scope IN ('deployment', 'user')", name=op.f("ck_decay_parameters_scope_known")),
        sa.CheckConstraint("version >= 1", name=op.f("ck_decay_parameters_version_positive")),
        sa.PrimaryKeyConstraint("version", name=op.f("pk_decay_parameters")),
    )
    op.create_index(op.f("ix_decay_parameters_end_user_id_version"), "decay_parameters", ["end_user_id", "version"])
    op.create_table(
        "erase_log",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("erasure_id", sa.Text(), nullable=False),
        sa.Column("end_user_id", sa.Text(), nullable=False),
        sa.Column("target_id", sa.Text()),
        sa.Column("target_type", sa.Text()),
        sa.Column("fingerprint", sa.Text()),
        sa.Column("normalisation_version", sa.Integer()),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("completed_at", sa.BigInteger()),
        sa.CheckConstraint(
            "(fingerprint IS NULL) = (normalisation_version IS NULL)", name=op.f("ck_erase_log_fingerprint_versioned")
        ),
        sa.CheckConstraint(
            "target_id IS NOT NULL OR fingerprint IS NOT NULL", name=op.f("ck_erase_log_names_something")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_erase_log")),
    )
    op.create_index(op.f("ix_erase_log_end_user_id_at"), "erase_log", ["end_user_id", "at"])
    op.create_index(op.f("ix_erase_log_erasure_id"), "erase_log", ["erasure_id"])
    op.create_index(
        "ix_erase_log_unfinished",
        "erase_log",
        ["at"],
        sqlite_where=sa.text("completed_at IS NULL"),
        postgresql_where=sa.text("completed_at IS NULL"),
    )
    op.create_table(
        "event_view",
        sa.Column("end_user_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("target_id", sa.Text()),
        sa.Column("target_type", sa.Text()),
        sa.Column("cycle_id", sa.Text()),
        sa.Column("idempotency_key", sa.Text()),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.CheckConstraint("seq >= 1", name=op.f("ck_event_view_seq_positive")),
        sa.PrimaryKeyConstraint("end_user_id", "seq", name=op.f("pk_event_view")),
    )
    op.create_index(op.f("ix_event_view_at"), "event_view", ["at"])
    op.create_index(op.f("ix_event_view_end_user_id_action_seq"), "event_view", ["end_user_id", "action", "seq"])
    op.create_index(op.f("ix_event_view_end_user_id_cycle_id_seq"), "event_view", ["end_user_id", "cycle_id", "seq"])
    op.create_index(op.f("ix_event_view_end_user_id_target_id_seq"), "event_view", ["end_user_id", "target_id", "seq"])
    op.create_table(
        "forgetting_cycle",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("end_user_id", sa.Text(), nullable=False),
        sa.Column("trigger_type", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("finished_at", sa.BigInteger()),
        sa.Column("duration_seconds", sa.Float()),
        sa.Column("merged_count", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("failed_count", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("skipped_count", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("group_count", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("summary_count", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("average_activation_before", sa.Float()),
        sa.Column("average_activation_after", sa.Float()),
        sa.Column("sample_size", sa.Integer()),
        sa.Column("total_nodes_before", sa.Integer()),
        sa.Column("total_nodes_after", sa.Integer()),
        sa.Column("low_activation_nodes", sa.Integer()),
        sa.Column("parameters", _Json, nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("llm_calls", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("llm_tokens", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("error", sa.Text()),
        sa.Column("heartbeat_at", sa.BigInteger(), nullable=False),
        sa.Column("fencing_token", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(
            "(status = 'running') = (finished_at IS NULL)", name=op.f("ck_forgetting_cycle_finished_when_not_running")
        ),
        sa.CheckConstraint(
            "status IN ('running', 'succeeded', 'partial', 'failed', 'cancelled')",
            name=op.f("ck_forgetting_cycle_status_known"),
        ),
        sa.CheckConstraint(
            "trigger_type IN ('manual', 'scheduled')", name=op.f("ck_forgetting_cycle_trigger_type_known")
        ),
        sa.CheckConstraint(
            "merged_count >= 0 AND "
            "failed_count >= 0 AND skipped_count >= 0 AND "
            "group_count >= 0 AND summary_count >= 0 AND "
            "llm_calls >= 0 AND llm_tokens >= 0",
            name=op.f("ck_forgetting_cycle_counts_not_negative"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_forgetting_cycle")),
        sa.UniqueConstraint("end_user_id", "id", name=op.f("uq_forgetting_cycle_end_user_id_id")),
    )
    op.create_index(
        op.f("ix_forgetting_cycle_end_user_id_started_at_id"), "forgetting_cycle", ["end_user_id", "started_at", "id"]
    )
    op.create_index(
        "uq_forgetting_cycle_running",
        "forgetting_cycle",
        ["end_user_id"],
        unique=True,
        sqlite_where=sa.text("status = 'running'"),
        postgresql_where=sa.text("status = 'running'"),
    )
    op.create_table(
        "idempotent_reply",
        sa.Column("end_user_id", sa.Text(), nullable=False),
        sa.Column("idempotency_key", sa.Text(), nullable=False),
        sa.Column("operation", sa.Text(), nullable=False),
        sa.Column("request_hash", sa.LargeBinary(), nullable=False),
        sa.Column("reply", _Json, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("length(request_hash) = 32", name=op.f("ck_idempotent_reply_sha256")),
        sa.PrimaryKeyConstraint("end_user_id", "idempotency_key", name=op.f("pk_idempotent_reply")),
    )
    op.create_index(op.f("ix_idempotent_reply_expires_at"), "idempotent_reply", ["expires_at"])
    op.create_table(
        "job",
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
            name=op.f("ck_job_held_when_running"),
        ),
        sa.CheckConstraint(
            "state IN ('queued', 'running', 'succeeded', 'failed', 'dead')", name=op.f("ck_job_state_known")
        ),
        sa.CheckConstraint("attempt >= 0 AND max_attempts >= 1", name=op.f("ck_job_attempts_in_range")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_job")),
        sa.UniqueConstraint("end_user_id", "kind", "dedupe_key", name=op.f("uq_job_end_user_id_kind_dedupe_key")),
    )
    op.create_index(
        "ix_job_abandoned",
        "job",
        ["lease_expires_at"],
        sqlite_where=sa.text("state = 'running'"),
        postgresql_where=sa.text("state = 'running'"),
    )
    op.create_index(
        "ix_job_due",
        "job",
        ["run_at"],
        sqlite_where=sa.text("state = 'queued'"),
        postgresql_where=sa.text("state = 'queued'"),
    )
    op.create_index(op.f("ix_job_end_user_id_created_at_id"), "job", ["end_user_id", "created_at", "id"])
    op.create_table(
        "lease",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("holder", sa.Text()),
        sa.Column("token", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("token >= 1", name=op.f("ck_lease_token_positive")),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_lease")),
    )
    op.create_table(
        "secret",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("length(value) >= 32", name=op.f("ck_secret_long_enough")),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_secret")),
    )
    op.create_table(
        "store",
        sa.Column("only_row", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("store_id", sa.Text(), nullable=False),
        sa.Column("ready", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("only_row = 1", name=op.f("ck_store_one_row")),
        sa.PrimaryKeyConstraint("only_row", name=op.f("pk_store")),
    )
    op.create_table(
        "console_session",
        sa.Column("id_hash", sa.LargeBinary(), nullable=False),
        sa.Column("api_key_id", sa.Text(), nullable=False),
        sa.Column("csrf_hash", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("last_seen_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("length(id_hash) = 32 AND length(csrf_hash) = 32", name=op.f("ck_console_session_sha256")),
        sa.ForeignKeyConstraint(
            ["api_key_id"], ["api_key.id"], name=op.f("fk_console_session_api_key_id_api_key"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id_hash", name=op.f("pk_console_session")),
    )
    op.create_index(op.f("ix_console_session_api_key_id"), "console_session", ["api_key_id"])
    op.create_index(op.f("ix_console_session_expires_at"), "console_session", ["expires_at"])
    op.create_table(
        "forgetting_plan",
        sa.Column("end_user_id", sa.Text(), nullable=False),
        sa.Column("cycle_id", sa.Text(), nullable=False),
        sa.Column("group_no", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("entity_id", sa.Text()),
        sa.Column("statement_ids", _Json, nullable=False),
        sa.Column("pair_count", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("summary_id", sa.Text()),
        sa.Column("reason", sa.Text()),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(
            "(state = 'fused') = (summary_id IS NOT NULL)", name=op.f("ck_forgetting_plan_fused_has_summary")
        ),
        sa.CheckConstraint(
            "state IN ('pending', 'fused', 'failed', 'skipped')", name=op.f("ck_forgetting_plan_state_known")
        ),
        sa.CheckConstraint("group_no >= 0 AND pair_count >= 0", name=op.f("ck_forgetting_plan_counts_not_negative")),
        sa.ForeignKeyConstraint(
            ["end_user_id", "cycle_id"],
            ["forgetting_cycle.end_user_id", "forgetting_cycle.id"],
            name="fk_forgetting_plan_cycle",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("end_user_id", "cycle_id", "group_no", name=op.f("pk_forgetting_plan")),
    )
    op.create_table(
        "forgetting_failure",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("end_user_id", sa.Text(), nullable=False),
        sa.Column("cycle_id", sa.Text(), nullable=False),
        sa.Column("group_no", sa.Integer(), nullable=False),
        sa.Column("group_key", sa.Text(), nullable=False),
        sa.Column("cause", sa.Text(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("next_try_at", sa.BigInteger()),
        sa.Column("resolved_by", sa.Text()),
        sa.Column("resolved_at", sa.BigInteger()),
        sa.CheckConstraint(
            "(resolved_by IS NULL) = (resolved_at IS NULL)", name=op.f("ck_forgetting_failure_resolved_when_and_by")
        ),
        sa.CheckConstraint("attempt >= 1", name=op.f("ck_forgetting_failure_attempt_positive")),
        sa.ForeignKeyConstraint(
            ["end_user_id", "cycle_id", "group_no"],
            ["forgetting_plan.end_user_id", "forgetting_plan.cycle_id", "forgetting_plan.group_no"],
            name="fk_forgetting_failure_plan",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_forgetting_failure")),
        sa.UniqueConstraint(
            "end_user_id",
            "cycle_id",
            "group_no",
            "attempt",
            name=op.f("uq_forgetting_failure_end_user_id_cycle_id_group_no_attempt"),
        ),
    )
    op.create_index(
        op.f("ix_forgetting_failure_end_user_id_group_key_attempt"),
        "forgetting_failure",
        ["end_user_id", "group_key", "attempt"],
    )
