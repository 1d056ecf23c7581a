// name: read_named_entities
// Entities of every kind that bear one of some names.
// params: end_user_id, name_keys

UNWIND $name_keys AS name_key
MATCH (e:Entity {end_user_id: $end_user_id, name_key: name_key})
  WHERE e.kind IS NOT NULL // has Neo4j use the whole key's index
RETURN name_key AS key, e.kind AS kind, properties(e) AS properties
