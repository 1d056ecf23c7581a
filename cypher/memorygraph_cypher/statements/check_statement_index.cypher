// name: check_statement_index
// What the full-text index of the server holds under the user's token: ids, and whether they are statements of the user.
// params: end_user_id, query

CALL db.index.fulltext.queryNodes('statement_search', $query) YIELD node
WITH node.id AS id
OPTIONAL MATCH (n:Statement {end_user_id: $end_user_id, id: id})
RETURN id, n IS NOT NULL AS own
