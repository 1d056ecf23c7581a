// name: create_relations
// Creates relations between entities.
// params: end_user_id, rows

UNWIND $rows AS row
MATCH (a:Entity {end_user_id: $end_user_id, id: row.subject_id})
MATCH (b:Entity {end_user_id: $end_user_id, id: row.object_id})
CREATE (a)-[r:RELATES {end_user_id: $end_user_id}]->(b)
SET r += row.properties
RETURN count(r) AS created
