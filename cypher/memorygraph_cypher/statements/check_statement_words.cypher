// name: check_statement_words
// Which of the named statements the full-text index of the server finds, each by a query of its own.
// params: end_user_id, rows

UNWIND $rows AS row
CALL db.index.fulltext.queryNodes('statement_search', row.query) YIELD node
WITH row.id AS id, node.id AS found
  WHERE found = id
MATCH (n:Statement {end_user_id: $end_user_id, id: id})
RETURN DISTINCT n.id AS id
