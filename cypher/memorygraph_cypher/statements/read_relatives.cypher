// name: read_relatives
// What a statement or summary is tied to: links, questions, what it took the place of, and what took its.
// params: end_user_id, id

OPTIONAL MATCH (s:Statement {end_user_id: $end_user_id, id: $id})
OPTIONAL MATCH (m:MemorySummary {end_user_id: $end_user_id, id: $id})
WITH coalesce(s, m) AS n
  WHERE n IS NOT NULL
RETURN
  [(n)-[r:SIMILAR_TO {end_user_id: $end_user_id}]-(o {end_user_id: $end_user_id}) | {id: o.id, score: r.score, origin: r.origin}] AS links,
  [(n)-[r:SUPERSEDES {end_user_id: $end_user_id}]->(o {end_user_id: $end_user_id}) | {id: o.id, at: r.at, reason: r.reason}] AS supersedes,
  [(n)<-[r:SUPERSEDES {end_user_id: $end_user_id}]-(o {end_user_id: $end_user_id}) | {id: o.id, at: r.at, reason: r.reason}] AS superseded_by,
  [(n)-[r:CONTRADICTS {end_user_id: $end_user_id}]-(o {end_user_id: $end_user_id}) | {id: o.id, text: o.text, reason: r.reason, opened_at: r.opened_at, resolved_at: r.resolved_at, resolution: r.resolution, actor: r.actor}] AS questions,
  [(n)-[r:FROM_EPISODE {end_user_id: $end_user_id}]->(p:Episode {end_user_id: $end_user_id}) | {id: p.id, start: r.start, end: r.end}] AS evidence,
  [(n)-[r:RESTATES {end_user_id: $end_user_id}]->(f:Forgotten {end_user_id: $end_user_id}) | f.id] AS restates
