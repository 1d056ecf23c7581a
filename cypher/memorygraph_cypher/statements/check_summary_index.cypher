// name: check_summary_index
// What the full-text index of the server holds under the user's token: ids, and whether they are summaries of the user.
// params: end_user_id, query

CALL db.index.fulltext.queryNodes('summary_search', $query) YIELD node
WITH node.id AS id
OPTIONAL MATCH (n:MemorySummary {end_user_id: $end_user_id, id: id})
RETURN id, n IS NOT NULL AS own
