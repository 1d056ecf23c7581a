// name: create_entities
// Creates entities.
// params: end_user_id, rows

UNWIND $rows AS row
// With all of its keys from the beginning: of several rows the embedded server creates all before it sets the first.
CREATE (e:Entity {end_user_id: $end_user_id, id: row.id, name_key: row.properties.name_key, kind: row.properties.kind})
SET e += row.properties
RETURN count(e) AS created
