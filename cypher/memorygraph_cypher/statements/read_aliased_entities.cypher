// name: read_aliased_entities
// Entities of which one of some names is an alias, and the kind it is an alias in.
// params: end_user_id, name_keys

UNWIND $name_keys AS name_key
MATCH (a:EntityAlias {end_user_id: $end_user_id, name_key: name_key})
  WHERE a.kind IS NOT NULL // has Neo4j use the whole key's index
MATCH (e:Entity {end_user_id: $end_user_id, id: a.entity_id})
RETURN name_key AS key, a.kind AS kind, properties(e) AS properties
