// name: erase_payloads
// Takes payload and salt from the events that are about the named, or tell of those that are gone.
// params: end_user_id, targets, gone

MATCH (v:Event {end_user_id: $end_user_id})
  WHERE v.payload IS NOT NULL AND (
    v.target_id IN $targets OR any(id IN v.changed_ids WHERE id IN $gone) OR any(id IN $gone WHERE v.payload CONTAINS id))
SET v.payload = null, v.salt = null
RETURN count(v) AS erased
