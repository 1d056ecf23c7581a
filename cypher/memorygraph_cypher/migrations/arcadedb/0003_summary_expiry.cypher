// name: 0003_summary_expiry
// The index of summaries that expire.
// language: sql

CREATE PROPERTY MemorySummary.expires_at IF NOT EXISTS LONG;

CREATE INDEX IF NOT EXISTS ON MemorySummary (end_user_id, expires_at) NOTUNIQUE NULL_STRATEGY SKIP;
