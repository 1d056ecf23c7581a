// name: relate_entities
// States relations between entities: evidence for the one believed, a correction of its period, or a new one.
// params: end_user_id, rows

UNWIND $rows AS row
MATCH (a:Entity {end_user_id: $end_user_id, name_key: row.subject_key, kind: row.subject_kind})
MATCH (b:Entity {end_user_id: $end_user_id, name_key: row.object_key, kind: row.object_kind})
OPTIONAL MATCH (a)-[found:RELATES {end_user_id: $end_user_id, predicate_key: row.predicate_key}]->(b)
  // of just this period, believed or only for want of evidence not, or believed of one that it meets
  WHERE ((found.retired_at IS NULL OR (found.evidence_count = 0 AND found.final IS NULL))
      AND coalesce(found.valid_from = row.valid_from, found.valid_from IS NULL AND row.valid_from IS NULL)
      AND coalesce(found.valid_to = row.valid_to, found.valid_to IS NULL AND row.valid_to IS NULL))
    OR (found.retired_at IS NULL AND NOT row.withheld
      AND (row.valid_from IS NULL OR found.valid_to IS NULL OR row.valid_from < found.valid_to)
      AND (row.valid_from IS NULL OR found.superseded_from IS NULL OR row.valid_from < found.superseded_from)
      AND (row.valid_to IS NULL OR found.valid_from IS NULL OR row.valid_to > found.valid_from))
WITH row, a, b, found,
  CASE WHEN found.retired_at IS NULL THEN 0 ELSE 1 END AS fallen,
  CASE WHEN coalesce(found.valid_from = row.valid_from, found.valid_from IS NULL AND row.valid_from IS NULL)
      AND coalesce(found.valid_to = row.valid_to, found.valid_to IS NULL AND row.valid_to IS NULL)
    THEN 0 ELSE 1 END AS inexact,
  CASE WHEN row.source_id IN coalesce(found.source_ids, []) THEN 0 ELSE 1 END AS others // a statement corrects its own
ORDER BY fallen, inexact, others, found.recorded_at DESC, found.id DESC
WITH row, a, b, head(collect(found)) AS r
WITH row, a, b, r, properties(r) AS before,
  CASE WHEN row.source_id IN coalesce(r.source_ids, []) OR row.withheld THEN 0 ELSE 1 END AS added,
  row.withheld AND NOT row.source_id IN coalesce(r.withdrawn_ids, []) AS waits,
  r IS NOT NULL
    AND (row.valid_from IS NULL OR coalesce(row.valid_from = r.valid_from, false))
    AND (row.valid_to IS NULL OR coalesce(row.valid_to = r.valid_to, false)) AS same
WITH row, a, b, r, before, same,
  coalesce(before.evidence_count, 0) + added AS evidence_count,
  coalesce(before.source_ids, []) + CASE WHEN added = 0 OR row.source_id IS NULL THEN [] ELSE [row.source_id] END AS source_ids,
  CASE WHEN waits THEN coalesce(before.withdrawn_ids, []) + [row.source_id] ELSE before.withdrawn_ids END AS withdrawn_ids
FOREACH (believed IN CASE WHEN same THEN [r] ELSE [] END |
  SET believed.evidence_count = evidence_count, believed.source_ids = source_ids, believed.withdrawn_ids = withdrawn_ids,
    believed.weight = coalesce(row.weight, believed.weight),
    believed.superseded_from = CASE WHEN row.withheld THEN believed.superseded_from ELSE null END,
    believed.retired_at = CASE WHEN row.withheld THEN believed.retired_at ELSE null END
)
FOREACH (believed IN CASE WHEN r IS NOT NULL AND NOT same THEN [r] ELSE [] END |
  SET believed.retired_at = row.at, believed.final = true
)
FOREACH (id IN CASE WHEN same THEN [] ELSE [row.id] END |
  CREATE (a)-[made:RELATES {end_user_id: $end_user_id, id: id}]->(b)
  SET made.predicate = row.predicate, made.predicate_key = row.predicate_key,
    made.weight = coalesce(row.weight, before.weight, 1.0),
    made.evidence_count = evidence_count, made.source_ids = source_ids, made.withdrawn_ids = withdrawn_ids,
    made.valid_from = coalesce(row.valid_from, before.valid_from), made.valid_to = coalesce(row.valid_to, before.valid_to),
    made.recorded_at = row.at, made.retired_at = CASE WHEN row.withheld THEN row.at ELSE null END
)
RETURN before, CASE WHEN same THEN before.id ELSE row.id END AS id
