// name: write_relations
// Changes properties of relations; null takes one away.
// params: end_user_id, rows

UNWIND $rows AS row
MATCH (a:Entity {end_user_id: $end_user_id, id: row.subject_id})-[r:RELATES {end_user_id: $end_user_id, id: row.id}]->(b:Entity {end_user_id: $end_user_id, id: row.object_id})
SET r += row.properties
RETURN count(r) AS written
