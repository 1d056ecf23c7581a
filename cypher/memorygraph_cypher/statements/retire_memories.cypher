// name: retire_memories
// Takes statements and summaries out of search, walks and fusion; their words stay, for reading as of an earlier time.
// params: end_user_id, rows

UNWIND $rows AS row
OPTIONAL MATCH (s:Statement {end_user_id: $end_user_id, id: row.id})
OPTIONAL MATCH (m:MemorySummary {end_user_id: $end_user_id, id: row.id})
WITH coalesce(s, m) AS n, row
  WHERE n IS NOT NULL
SET n += row.properties
SET n.past_search_text = coalesce(n.search_text, n.past_search_text), n.search_text = null, n.fusable_at = null
RETURN count(n) AS retired
