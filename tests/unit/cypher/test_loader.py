import re
from pathlib import Path

import pytest

import memorygraph_cypher
from memorygraph.graph.session import AdminTransaction, UserTransaction
from memorygraph.graph.store import UserStore
from memorygraph_cypher import CypherFileError, migrations, statements
from memorygraph_cypher.loader import parse_migration, parse_statement

GOOD = """// name: read_thing
// Reads a thing.
// params: end_user_id, id

MATCH (t:Thing {end_user_id: $end_user_id, id: $id})
RETURN t.id AS id
"""
# Statements that belong to no user. Whoever adds one says here why it must.
ADMIN = {
    "check_relationships",  # from one user to another is what it looks for
    "check_strays",  # of no user is what it looks for
    "create_store",  # the store's own record
    "drop_index",  # schema belongs to nobody
    "find_erasures",  # asked at every start about all users at once
    "list_pending_comparisons",  # what a process left undone is looked for at every start, whoever it is of
    "list_pending_ingestions",
    "list_users",  # a look at the whole store goes from user to user
    "read_any_user",  # whether an unlabelled graph is empty
    "read_components",  # the server's version
    "read_store",
    "update_store",
}


def parse(
    text: str, *, path: str = "statements/read_thing.cypher", admin: bool = False
) -> memorygraph_cypher.Statement:
    return parse_statement(text, path=path, admin=admin)


def test_a_statement_is_read_with_name_description_and_parameters() -> None:
    statement = parse(GOOD)
    assert (statement.name, statement.description) == ("read_thing", "Reads a thing.")
    assert statement.parameters == {"end_user_id", "id"}
    assert statement.text.startswith("MATCH")


def test_the_parameters_of_a_user_are_sent_as_one_that_no_value_spells() -> None:
    statement = parse(GOOD)
    assert "{end_user_id: $end_user_id, id: $id}" in statement.text
    assert "{end_user_id: $`\x01`.end_user_id, id: $`\x01`.id}" in statement.sent_text
    assert parse(GOOD, path="admin/read_thing.cypher", admin=True).sent_text == statement.text


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("params: end_user_id, id", "params: end_user_id", "undeclared parameters: id"),
        ("params: end_user_id, id", "params: end_user_id, id, extra", "never used: extra"),
        ("params: end_user_id, id", "params: end_user_id, id, id", "declared twice"),
        ("// params: end_user_id, id\n", "", "lacks 'params'"),
        ("// Reads a thing.\n", "", "lacks a description"),
        ("// Reads a thing.", "// Reads a thing.\n// And more.", "one line"),
        ("name: read_thing", "name: readThing", "verb_noun"),
        ("name: read_thing", "name: read_other", "differs"),
        ("// name: read_thing", "// name: read_thing\n// name: read_thing", "declared twice"),
        ("RETURN t.id AS id", "RETURN t.id AS id;", "semicolon"),
        ("MATCH (t:Thing {end_user_id: $end_user_id, id: $id})\nRETURN t.id AS id", "", "no statement"),
        ("{end_user_id: $end_user_id, id: $id}", "{id: $id, of: $end_user_id}", "not bound to the user"),
    ],
)
def test_a_malformed_statement_is_refused_with_its_file_and_reason(old: str, new: str, reason: str) -> None:
    assert old in GOOD
    with pytest.raises(CypherFileError, match=rf"statements/read_thing\.cypher.*{re.escape(reason)}"):
        parse(GOOD.replace(old, new))


def test_every_statement_of_the_package_is_bound_to_a_user_or_listed_as_admin() -> None:
    assert {name for name, statement in statements.items() if statement.admin} == ADMIN
    for statement in statements.values():
        assert ("end_user_id" in statement.parameters) != statement.admin


def test_every_file_of_the_package_is_loaded() -> None:
    root = Path(memorygraph_cypher.__file__).parent
    files = {path.stem for folder in ("statements", "admin") for path in (root / folder).glob("*.cypher")}
    assert files == set(statements)
    assert len(files) > 30


def test_the_store_has_one_method_for_each_user_statement() -> None:
    inherited = {name for name in dir(UserTransaction) if not name.startswith("_")}
    methods = {name for name in dir(UserStore) if not name.startswith("_")} - inherited
    assert methods == set(statements) - ADMIN
    assert not methods & {name for name in dir(AdminTransaction) if not name.startswith("_")}


@pytest.mark.parametrize("dialect", ["neo4j", "arcadedb"])
def test_migrations_are_numbered_from_one(dialect: str) -> None:
    found = migrations(dialect)
    assert [m.version for m in found] == list(range(1, len(found) + 1))
    assert all(m.statements for m in found)


def test_both_dialects_have_the_same_migrations() -> None:
    assert [m.name for m in migrations("neo4j")] == [m.name for m in migrations("arcadedb")]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("// name: 1_first\n// Does.\n// language: cypher\nCREATE INDEX a;\n", "0001_what"),
        ("// name: 0001_first\n// Does.\n// language: gremlin\nCREATE INDEX a;\n", "cypher or sql"),
        ("// name: 0001_first\n// Does.\n// language: cypher\nCREATE INDEX a\n", "semicolon"),
        ("// name: 0001_first\n// Does.\nCREATE INDEX a;\n", "language"),
    ],
)
def test_a_malformed_migration_is_refused(text: str, reason: str) -> None:
    with pytest.raises(CypherFileError, match=reason):
        parse_migration(text, path="migrations/neo4j/0001_first.cypher")


def test_no_graph_statement_lives_outside_the_cypher_package() -> None:
    root = Path(memorygraph_cypher.__file__).parents[2]
    statement = re.compile(r"\b(MATCH|MERGE|UNWIND|DETACH DELETE)\b *[($]")
    sources = [
        path
        for package in ("memorygraph", "forgetting/memorygraph_forgetting", "api/memorygraph_api")
        for path in (root / package).rglob("*.py")
    ]
    assert len(sources) > 50
    assert [str(path) for path in sources if statement.search(path.read_text(encoding="utf-8"))] == []
