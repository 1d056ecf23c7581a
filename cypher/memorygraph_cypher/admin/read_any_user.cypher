// name: read_any_user
// Whether the graph holds any user at all.
// params: 

MATCH (u:EndUser)
RETURN u.created_at AS created_at
LIMIT 1
