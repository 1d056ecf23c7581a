// name: check_tombstones
// Active statements whose value has a tombstone that was not lifted.
// params: end_user_id

MATCH (t:Tombstone {end_user_id: $end_user_id})
  WHERE t.lifted_at IS NULL
MATCH (s:Statement {end_user_id: $end_user_id, fingerprint: t.fingerprint})
  WHERE s.status = 'active' AND s.kind <> 'turn'
RETURN s.id AS id, t.kind AS kind
