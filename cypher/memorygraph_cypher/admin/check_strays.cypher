// name: check_strays
// Nodes that say of no user of the store that they are theirs.
// params: most

MATCH (n)
  WHERE NOT n:Store
OPTIONAL MATCH (u:EndUser {end_user_id: n.end_user_id})
WITH n, u
  WHERE u IS NULL
RETURN head(labels(n)) AS label, n.id AS id, n.end_user_id AS end_user_id
LIMIT $most
