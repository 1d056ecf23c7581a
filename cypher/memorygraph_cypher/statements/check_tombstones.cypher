// name: check_tombstones
// A page of the tombstones in force, in the order of their fingerprints.
// params: end_user_id, after, page

MATCH (t:Tombstone {end_user_id: $end_user_id})
  WHERE t.fingerprint > $after AND t.lifted_at IS NULL
RETURN t.fingerprint AS fingerprint, t.kind AS kind
ORDER BY t.fingerprint
LIMIT $page
