// name: erase_reasons
// Takes their words from single relationships.
// params: end_user_id, rows

UNWIND $rows AS row
MATCH (a {end_user_id: $end_user_id, id: row.source_id})-[r {end_user_id: $end_user_id}]->(b {end_user_id: $end_user_id, id: row.target_id})
  WHERE type(r) = row.type
SET r += row.properties
RETURN count(r) AS changed
