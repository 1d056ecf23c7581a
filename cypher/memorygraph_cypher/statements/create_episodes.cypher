// name: create_episodes
// Keeps what was said or written, verbatim.
// params: end_user_id, rows

UNWIND $rows AS row
// With all of its keys from the beginning: of several rows the embedded server creates all before it sets the first.
CREATE (p:Episode {
  end_user_id: $end_user_id, id: row.id, session_id: row.session_id, position: row.position, content_hash: row.content_hash
})
SET p += row
RETURN count(p) AS created
