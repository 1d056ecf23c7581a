import pytest

from memorygraph_cypher import statements, unscoped

BOUND = "{end_user_id: $end_user_id}"


@pytest.mark.parametrize("name", sorted(name for name, statement in statements.items() if not statement.admin))
def test_every_pattern_of_a_user_statement_names_the_user(name: str) -> None:
    assert unscoped(statements[name].text) == []


@pytest.mark.parametrize(
    "planted",
    [
        # one of two matched nodes forgets the user
        f"MATCH (s:Statement {BOUND})-[:MENTIONS {BOUND}]->(e:Entity) RETURN e",
        f"MATCH (s:Statement {BOUND}) MATCH (e:Entity {{id: s.id}}) RETURN e",
        f"MATCH (s:Statement {BOUND}), (e:Entity) RETURN e",
        f"MATCH (s:Statement {BOUND}) OPTIONAL MATCH (m:MemorySummary {{id: s.id}}) RETURN m",
        # the relationship does
        f"MATCH (s:Statement {BOUND})-[:MENTIONS]->(e:Entity {BOUND}) RETURN e",
        f"MATCH (s:Statement {BOUND})-[r]->(e:Entity {BOUND}) RETURN e",
        f"MATCH (s:Statement {BOUND})-->(e:Entity {BOUND}) RETURN e",
        f"MATCH (s:Statement {BOUND})<-[:MENTIONS*1..3]-(e:Entity {BOUND}) RETURN e",
        # another user is named
        "MATCH (s:Statement {end_user_id: $other}) RETURN s",
        "MATCH (s:Statement {end_user_id: 'bob'}) RETURN s",
        "MATCH (s:Statement {id: $end_user_id}) RETURN s",
        # in other clauses and expressions
        f"MATCH (s:Statement {BOUND}) WHERE EXISTS {{ MATCH (s)-[:MENTIONS {BOUND}]->(:Entity) }} RETURN s",
        f"MATCH (s:Statement {BOUND}) RETURN [(s)-[:MENTIONS {BOUND}]->(e:Entity) | e.id] AS ids",
        f"MATCH (s:Statement {BOUND}) WHERE NOT (s)-[:MENTIONS {BOUND}]->() RETURN s",
        "CREATE (s:Statement) RETURN s",
        "MERGE (e:Entity {name_key: $key}) RETURN e",
        f"MATCH (s:Statement {BOUND}) RETURN COLLECT {{ MATCH (e:Entity) RETURN e.id }} AS ids",
        # what has not been matched is of any user
        "MATCH (s) RETURN s",
        "MATCH (s)-[r {end_user_id: $end_user_id}]->(t {end_user_id: $end_user_id}) RETURN s",
        "CALL db.index.fulltext.queryNodes('statement_search', $end_user_id) YIELD node AS s MATCH (s) RETURN s",
        # ends of a relationship are handed out whoever they belong to
        f"MATCH (s:Statement {BOUND})-[r:MENTIONS {BOUND}]->(t {BOUND}) RETURN endNode(r)",
        # a comment or a literal does not bind
        "MATCH (s:Statement /* {end_user_id: $end_user_id} */) RETURN s",
        "MATCH (s:Statement {note: '{end_user_id: $end_user_id}'}) RETURN s",
    ],
)
def test_a_pattern_that_forgets_the_user_is_found(planted: str) -> None:
    assert unscoped(planted) != []


@pytest.mark.parametrize(
    "bound",
    [
        f"MATCH (s:Statement {BOUND})-[:MENTIONS {BOUND}]->(e:Entity {BOUND}) RETURN count(e), collect(s.id)",
        "MATCH (s:Statement {id: $id, end_user_id: $end_user_id}) SET s.a = (s.b + 1) * (2) RETURN (s.a)",
        f"MATCH (s:Statement {BOUND}) MATCH (s)-[:MENTIONS {BOUND}]->(e {BOUND}) RETURN e",
        f"OPTIONAL MATCH (s:Statement {BOUND}) WITH s AS n MATCH (n)<-[:X {BOUND}]-(m {BOUND}) RETURN m",
        "MATCH (s:Statement {note: 'MATCH (x:Entity)', end_user_id: $end_user_id}) RETURN s // (e:Entity)",
    ],
)
def test_a_bound_statement_passes(bound: str) -> None:
    assert unscoped(bound) == []
