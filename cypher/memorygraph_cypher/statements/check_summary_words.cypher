// name: check_summary_words
// Which of the named summaries the full-text index of the server finds, each by a query of its own.
// params: end_user_id, rows

UNWIND $rows AS row
CALL db.index.fulltext.queryNodes('summary_search', row.query) YIELD node
WITH row.id AS id, node.id AS found
  WHERE found = id
MATCH (n:MemorySummary {end_user_id: $end_user_id, id: id})
RETURN DISTINCT n.id AS id
