// name: scan_aliases
// The user's keys of aliases, and what they lead to.
// params: end_user_id

MATCH (a:EntityAlias {end_user_id: $end_user_id})
RETURN a.name_key AS name_key, a.kind AS kind, a.entity_id AS entity_id
