// name: list_tombstones
// A page of tombstones in the order of their fingerprints, with what the event that put each there says.
// params: end_user_id, after, page

MATCH (t:Tombstone {end_user_id: $end_user_id})
  WHERE t.fingerprint > $after
WITH t
ORDER BY t.fingerprint
LIMIT $page
OPTIONAL MATCH (v:Event {end_user_id: $end_user_id, seq: t.seq})
RETURN t.fingerprint AS fingerprint, t.kind AS kind, t.actor AS actor, t.created_at AS created_at,
  t.lifted_at AS lifted_at, t.seq AS seq, v.target_id AS memory_id, v.payload AS payload
