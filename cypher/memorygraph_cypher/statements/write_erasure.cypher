// name: write_erasure
// Leaves tombstones of what was erased; of one that stood there before only the key stays.
// params: end_user_id, rows

UNWIND $rows AS row
MERGE (t:Tombstone {end_user_id: $end_user_id, fingerprint: row.fingerprint})
SET t = row.properties
SET t.end_user_id = $end_user_id, t.fingerprint = row.fingerprint
RETURN count(t) AS written
