// name: write_payloads
// Gives stubs other payloads.
// params: end_user_id, rows

UNWIND $rows AS row
MATCH (f:Forgotten {end_user_id: $end_user_id, id: row.id})
SET f.payload = row.payload
RETURN count(f) AS written
