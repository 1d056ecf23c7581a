// name: erase_payloads_of
// Takes payload and salt from single events.
// params: end_user_id, seqs

UNWIND $seqs AS seq
MATCH (v:Event {end_user_id: $end_user_id, seq: seq})
SET v.payload = null, v.salt = null
RETURN count(v) AS erased
