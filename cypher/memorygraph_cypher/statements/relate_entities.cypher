// name: relate_entities
// States relations between entities: evidence for the one believed, a correction of its period, or a new one.
// params: end_user_id, rows

UNWIND $rows AS row
MATCH (a:Entity {end_user_id: $end_user_id, name_key: row.subject_key, kind: row.subject_kind})
MATCH (b:Entity {end_user_id: $end_user_id, name_key: row.object_key, kind: row.object_kind})
OPTIONAL MATCH (a)-[found:RELATES {end_user_id: $end_user_id, predicate_key: row.predicate_key}]->(b)
  WHERE found.retired_at IS NULL
    AND (row.valid_from IS NULL OR found.valid_to IS NULL OR row.valid_from < found.valid_to)
    AND (row.valid_to IS NULL OR found.valid_from IS NULL OR row.valid_to > found.valid_from)
WITH row, a, b, found
ORDER BY found.recorded_at DESC, found.id DESC
WITH row, a, b, head(collect(found)) AS r
WITH row, a, b, r, properties(r) AS before,
  CASE WHEN row.source_id IN coalesce(r.source_ids, []) THEN 0 ELSE 1 END AS added,
  r IS NOT NULL
    AND (row.valid_from IS NULL OR coalesce(row.valid_from = r.valid_from, false))
    AND (row.valid_to IS NULL OR coalesce(row.valid_to = r.valid_to, false)) AS same
WITH row, a, b, r, before, same,
  coalesce(before.evidence_count, 0) + added AS evidence_count,
  coalesce(before.source_ids, []) + CASE WHEN added = 0 OR row.source_id IS NULL THEN [] ELSE [row.source_id] END AS source_ids
FOREACH (believed IN CASE WHEN same THEN [r] ELSE [] END |
  SET believed.evidence_count = evidence_count, believed.source_ids = source_ids, believed.weight = coalesce(row.weight, believed.weight)
)
FOREACH (believed IN CASE WHEN r IS NOT NULL AND NOT same THEN [r] ELSE [] END |
  SET believed.retired_at = row.at
)
FOREACH (id IN CASE WHEN same THEN [] ELSE [row.id] END |
  CREATE (a)-[made:RELATES {end_user_id: $end_user_id, id: id}]->(b)
  SET made.predicate = row.predicate, made.predicate_key = row.predicate_key,
    made.weight = coalesce(row.weight, before.weight, 1.0),
    made.evidence_count = evidence_count, made.source_ids = source_ids,
    made.valid_from = coalesce(row.valid_from, before.valid_from), made.valid_to = coalesce(row.valid_to, before.valid_to),
    made.recorded_at = row.at
)
RETURN before, CASE WHEN same THEN before.id ELSE row.id END AS id
