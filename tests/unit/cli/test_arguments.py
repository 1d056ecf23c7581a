"""The short forms of entities and relations, and files that are read."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from memorygraph.errors import InvalidInput
from memorygraph.validation import EntitySpec
from memorygraph_api.cli.arguments import bytes_of, entity, relation

ANA = EntitySpec(name="Ana", kind="person")


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Ana", "Ana"),
        (" Ana | person ", ("Ana", "person")),
        ('{"name": "Ana", "kind": "person"}', ANA),
        ('{"name": "A|B"}', EntitySpec(name="A|B")),
    ],
)
def test_an_entity_is_a_name_a_name_with_its_kind_or_an_object(text: str, read: object) -> None:
    assert entity(text) == read


@pytest.mark.parametrize("text", ["a|b|c", "{", '{"name": "Ana", "age": 9}', '{"kind": "person"}', "{" * 100_000])
def test_what_is_no_entity_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        entity(text)
    assert refused.value.field == "entities"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Ana|works at|Acme", ("Ana", "works at", "Acme")),
        ('{"subject": "Ana", "predicate": "works at", "object": "Acme"}', ("Ana", "works at", "Acme")),
        (
            '{"subject": {"name": "Ana", "kind": "person"}, "predicate": "is", "object": ["A|B", "pub"]}',
            (ANA, "is", ("A|B", "pub")),
        ),
    ],
)
def test_a_relation_is_three_parts_or_an_object_of_them(text: str, read: object) -> None:
    assert relation(text) == read


@pytest.mark.parametrize("text", ["Ana|works at", "a|b|c|d", "", "{}", '{"subject": "a", "predicate": "b"}'])
def test_what_is_no_relation_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        relation(text)
    assert refused.value.field == "relations"


def test_a_file_is_read_no_further_than_it_may_be_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"0123456789")
    assert bytes_of(file) == b"0123456789"
    assert bytes_of(file, most=3) == b"0123"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"0123456789")))
    assert bytes_of(Path("-"), most=3) == b"0123"
    with pytest.raises(InvalidInput, match="cannot be read"):
        bytes_of(tmp_path)
