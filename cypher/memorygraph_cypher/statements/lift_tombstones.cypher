// name: lift_tombstones
// Lets values be taken again.
// params: end_user_id, fingerprints, at

UNWIND $fingerprints AS fingerprint
MATCH (t:Tombstone {end_user_id: $end_user_id, fingerprint: fingerprint})
SET t.lifted_at = $at
RETURN count(t) AS lifted
