// name: create_statements
// Creates statements with the entities they mention, the turns they keep verbatim, their evidence and links, and the events of it.
// params: end_user_id, head, events, rows

MATCH (u:EndUser {end_user_id: $end_user_id})
SET u.seq = $head.seq, u.head_hash = $head.hash
// What has an index stands in the pattern: set after it, each index would be written, unwritten and written again.
FOREACH (event IN $events |
  CREATE (v:Event {
    end_user_id: $end_user_id, seq: event.seq, idempotency_key: event.idempotency_key, target_id: event.target_id,
    cycle_id: event.cycle_id
  })
  SET v += event
)
FOREACH (row IN $rows |
  CREATE (s:Statement {
    end_user_id: $end_user_id, id: row.properties.id, fingerprint: row.properties.fingerprint,
    search_text: row.properties.search_text, fusable_at: row.properties.fusable_at,
    slot_key: row.properties.slot_key, review_since: row.properties.review_since,
    expires_at: row.properties.expires_at, compare_since: row.properties.compare_since
  })
  SET s += row.properties
  FOREACH (turn IN row.turns |
    CREATE (p:Episode {
      end_user_id: $end_user_id, id: turn.properties.id, session_id: turn.properties.session_id,
      position: turn.properties.position, content_hash: turn.properties.content_hash
    })
    SET p += turn.properties
    CREATE (s)-[:FROM_EPISODE {end_user_id: $end_user_id, start: turn.start, end: turn.end}]->(p)
  )
  FOREACH (mention IN row.mentions |
    MERGE (e:Entity {end_user_id: $end_user_id, name_key: mention.name_key, kind: mention.kind})
      ON CREATE SET e += mention.properties
    CREATE (s)-[:MENTIONS {end_user_id: $end_user_id, role: mention.role}]->(e)
  )
  // Of what is named below this transaction has seen that it is there: MERGE, because a FOREACH cannot MATCH.
  FOREACH (evidence IN row.evidence |
    MERGE (p:Episode {end_user_id: $end_user_id, id: evidence.id})
    CREATE (s)-[:FROM_EPISODE {end_user_id: $end_user_id, start: evidence.start, end: evidence.end}]->(p)
  )
  FOREACH (link IN row.links |
    MERGE (o:Statement {end_user_id: $end_user_id, id: link.id})
    CREATE (s)-[:SIMILAR_TO {end_user_id: $end_user_id, score: link.score, origin: 'auto'}]->(o)
  )
  FOREACH (link IN row.summary_links |
    MERGE (o:MemorySummary {end_user_id: $end_user_id, id: link.id})
    CREATE (s)-[:SIMILAR_TO {end_user_id: $end_user_id, score: link.score, origin: 'auto'}]->(o)
  )
)
RETURN u.seq AS seq
