// name: revive_memories
// Brings retired statements and summaries back into search.
// params: end_user_id, rows

UNWIND $rows AS row
OPTIONAL MATCH (s:Statement {end_user_id: $end_user_id, id: row.id})
OPTIONAL MATCH (m:MemorySummary {end_user_id: $end_user_id, id: row.id})
WITH coalesce(s, m) AS n, row
  WHERE n IS NOT NULL
SET n += row.properties
SET n.search_text = coalesce(n.search_text, n.past_search_text), n.past_search_text = null
RETURN count(n) AS revived
