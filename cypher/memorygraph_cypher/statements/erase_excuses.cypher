// name: erase_excuses
// Takes their reasons from single tombstones.
// params: end_user_id, rows

UNWIND $rows AS row
MATCH (t:Tombstone {end_user_id: $end_user_id, fingerprint: row.fingerprint})
SET t.reason = null
RETURN count(t) AS written
