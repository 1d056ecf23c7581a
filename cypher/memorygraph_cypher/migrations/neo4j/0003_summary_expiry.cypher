// name: 0003_summary_expiry
// The index of summaries that expire.
// language: cypher

CREATE INDEX summary_expiry IF NOT EXISTS FOR (n:MemorySummary) ON (n.end_user_id, n.expires_at);
