// name: 0002_writing
// Keys of aliases, and the indexes of claims, reviews, expiry and a memory's own history.
// language: cypher

CREATE CONSTRAINT alias_key IF NOT EXISTS FOR (n:EntityAlias) REQUIRE (n.end_user_id, n.name_key, n.kind) IS UNIQUE;

CREATE INDEX entity_name IF NOT EXISTS FOR (n:Entity) ON (n.end_user_id, n.name_key);
CREATE INDEX alias_name IF NOT EXISTS FOR (n:EntityAlias) ON (n.end_user_id, n.name_key);
CREATE INDEX relation_id IF NOT EXISTS FOR ()-[r:RELATES]-() ON (r.end_user_id, r.id);
CREATE INDEX statement_slot IF NOT EXISTS FOR (n:Statement) ON (n.end_user_id, n.slot_key);
CREATE INDEX statement_review IF NOT EXISTS FOR (n:Statement) ON (n.end_user_id, n.review_since);
CREATE INDEX statement_expiry IF NOT EXISTS FOR (n:Statement) ON (n.end_user_id, n.expires_at);
CREATE INDEX statement_comparison IF NOT EXISTS FOR (n:Statement) ON (n.compare_since);
CREATE INDEX episode_ingestion IF NOT EXISTS FOR (n:Episode) ON (n.end_user_id, n.ingest_id);
CREATE INDEX episode_pending IF NOT EXISTS FOR (n:Episode) ON (n.pending_since);
CREATE INDEX event_target IF NOT EXISTS FOR (n:Event) ON (n.end_user_id, n.target_id);
