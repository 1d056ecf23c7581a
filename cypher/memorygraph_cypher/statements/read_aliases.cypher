// name: read_aliases
// Keys of aliases that belong to an entity.
// params: end_user_id, entity_id, name_keys

UNWIND $name_keys AS name_key
MATCH (a:EntityAlias {end_user_id: $end_user_id, name_key: name_key})
  WHERE a.kind IS NOT NULL AND a.entity_id = $entity_id // the kind has Neo4j use the whole key's index
RETURN a.name_key AS name_key, a.kind AS kind
