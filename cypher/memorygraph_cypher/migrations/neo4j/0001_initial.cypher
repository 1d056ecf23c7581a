// name: 0001_initial
// Unique keys, range indexes and full text of the first schema.
// language: cypher

CREATE CONSTRAINT end_user_key IF NOT EXISTS FOR (n:EndUser) REQUIRE n.end_user_id IS UNIQUE;
CREATE CONSTRAINT store_key IF NOT EXISTS FOR (n:Store) REQUIRE n.name IS UNIQUE;
CREATE CONSTRAINT episode_id IF NOT EXISTS FOR (n:Episode) REQUIRE (n.end_user_id, n.id) IS UNIQUE;
CREATE CONSTRAINT episode_key IF NOT EXISTS FOR (n:Episode) REQUIRE (n.end_user_id, n.session_id, n.position, n.content_hash) IS UNIQUE;
CREATE CONSTRAINT statement_id IF NOT EXISTS FOR (n:Statement) REQUIRE (n.end_user_id, n.id) IS UNIQUE;
CREATE CONSTRAINT summary_id IF NOT EXISTS FOR (n:MemorySummary) REQUIRE (n.end_user_id, n.id) IS UNIQUE;
CREATE CONSTRAINT entity_id IF NOT EXISTS FOR (n:Entity) REQUIRE (n.end_user_id, n.id) IS UNIQUE;
CREATE CONSTRAINT entity_key IF NOT EXISTS FOR (n:Entity) REQUIRE (n.end_user_id, n.name_key, n.kind) IS UNIQUE;
CREATE CONSTRAINT forgotten_id IF NOT EXISTS FOR (n:Forgotten) REQUIRE (n.end_user_id, n.id) IS UNIQUE;
CREATE CONSTRAINT tombstone_key IF NOT EXISTS FOR (n:Tombstone) REQUIRE (n.end_user_id, n.fingerprint) IS UNIQUE;
CREATE CONSTRAINT event_seq IF NOT EXISTS FOR (n:Event) REQUIRE (n.end_user_id, n.seq) IS UNIQUE;
CREATE CONSTRAINT event_idempotency IF NOT EXISTS FOR (n:Event) REQUIRE (n.end_user_id, n.idempotency_key) IS UNIQUE;

CREATE INDEX statement_fingerprint IF NOT EXISTS FOR (n:Statement) ON (n.end_user_id, n.fingerprint);
CREATE INDEX forgotten_fingerprint IF NOT EXISTS FOR (n:Forgotten) ON (n.end_user_id, n.fingerprint);
CREATE INDEX statement_fusable IF NOT EXISTS FOR (n:Statement) ON (n.end_user_id, n.fusable_at);
CREATE INDEX summary_fusable IF NOT EXISTS FOR (n:MemorySummary) ON (n.end_user_id, n.fusable_at);
CREATE INDEX event_cycle IF NOT EXISTS FOR (n:Event) ON (n.end_user_id, n.cycle_id);

CREATE FULLTEXT INDEX statement_search IF NOT EXISTS FOR (n:Statement) ON EACH [n.search_text]
  OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}};
CREATE FULLTEXT INDEX summary_search IF NOT EXISTS FOR (n:MemorySummary) ON EACH [n.search_text]
  OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}};
