// name: read_entity_names
// Names, aliases and kinds of entities, those used last first.
// params: end_user_id, page

MATCH (e:Entity {end_user_id: $end_user_id})
  WHERE e.id IS NOT NULL // has Neo4j use the index of the user's ids
WITH e
ORDER BY e.last_access_at DESC, e.id
LIMIT $page
RETURN e.id AS id, e.name AS name, e.kind AS kind, e.aliases AS aliases
