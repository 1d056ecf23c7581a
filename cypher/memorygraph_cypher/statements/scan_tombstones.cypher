// name: scan_tombstones
// A page of the user's nodes of this kind in the order of their keys, without vectors.
// params: end_user_id, after, page

MATCH (n:Tombstone {end_user_id: $end_user_id})
  WHERE n.fingerprint > $after
WITH n ORDER BY n.fingerprint LIMIT $page
RETURN n {.*, embedding: null} AS properties
