// name: list_entities
// A page of entities in the order of their names, of one kind or any, some part of whose name or alias is the query.
// params: end_user_id, query, kind, after_key, after_kind, page

MATCH (e:Entity {end_user_id: $end_user_id})
  WHERE e.name_key IS NOT NULL AND e.kind IS NOT NULL // has Neo4j use the key's index
    AND ($kind IS NULL OR e.kind = $kind)
    AND ($query IS NULL OR e.name_key CONTAINS $query OR any(k IN coalesce(e.alias_keys, []) WHERE k CONTAINS $query))
    AND (e.name_key > $after_key OR (e.name_key = $after_key AND e.kind > $after_kind))
WITH e
ORDER BY e.name_key, e.kind
LIMIT $page
RETURN properties(e) AS properties
