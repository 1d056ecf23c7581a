// name: read_tombstones
// The tombstones of some values, in force or lifted.
// params: end_user_id, fingerprints

UNWIND $fingerprints AS fingerprint
MATCH (t:Tombstone {end_user_id: $end_user_id, fingerprint: fingerprint})
RETURN t.fingerprint AS fingerprint, t.kind AS kind, t.seq AS seq, t.lifted_at AS lifted_at
