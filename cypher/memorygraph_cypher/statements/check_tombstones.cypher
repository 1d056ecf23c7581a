// name: check_tombstones
// A page of the tombstones in force, in the order of their fingerprints.
// params: end_user_id, after, page

MATCH (t:Tombstone {end_user_id: $end_user_id})
  WHERE t.fingerprint > $after AND t.lifted_at IS NULL
WITH t
ORDER BY t.fingerprint
LIMIT $page
RETURN t {.fingerprint, .kind} AS properties
