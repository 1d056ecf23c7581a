// name: add_evidence
// Notes further places in episodes that statements are taken from; one that was noted before stays one.
// params: end_user_id, rows

UNWIND $rows AS row
MATCH (s:Statement {end_user_id: $end_user_id, id: row.id})
MATCH (p:Episode {end_user_id: $end_user_id, id: row.episode_id})
MERGE (s)-[r:FROM_EPISODE {end_user_id: $end_user_id, start: row.start, end: row.end}]->(p)
RETURN count(r) AS noted
