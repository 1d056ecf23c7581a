// name: write_tombstones
// Puts tombstones on values, or puts those again in force that were lifted.
// params: end_user_id, rows

UNWIND $rows AS row
MERGE (t:Tombstone {end_user_id: $end_user_id, fingerprint: row.fingerprint})
SET t += row.properties, t.lifted_at = null
RETURN count(t) AS written
