"""The documentation says what the code says: generated pages, links, commands, tables."""

from __future__ import annotations

import doctest
import re
import shlex
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import typer

from memorygraph.ledger.tables import metadata
from memorygraph_api.cli import command_tree
from memorygraph_forgetting import BOUNDS, DecayParameters
from tests.support.checkout import CHECKOUT, tracked_files
from tools import reference

PAGES = [path for path in tracked_files() if path.suffix == ".md"]
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def text_of(page: Path | str) -> str:
    return (CHECKOUT / page).read_text(encoding="utf-8")


def anchors(markdown: str) -> set[str]:
    """The anchors that the headings of a page give."""
    headings = re.findall(r"^#+ (.+)$", _FENCE.sub("", markdown), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(markdown: str, folder: Path) -> list[str]:
    """The relative links of a page in ``folder`` that lead to no file, or to no heading of one."""
    broken = []
    for link in _LINK.findall(_FENCE.sub("", markdown)):
        if re.match(r"[a-z]+:", link):
            continue
        place, _, anchor = link.partition("#")
        target = folder / place if place else None
        found = target is None or target.exists()
        if found and anchor:
            found = anchor in anchors(markdown if target is None else target.read_text(encoding="utf-8"))
        if not found:
            broken.append(link)
    return broken


def shell_lines(markdown: str) -> Iterator[list[str]]:
    """The words of each command in the shell blocks of a page, without comments."""
    for language, block in _FENCE.findall(markdown):
        if language == "sh":
            yield from filter(None, (shlex.split(line, comments=True) for line in block.splitlines()))


def refused(words: list[str]) -> str | None:
    """Why ``make`` or ``memorygraph`` would not take a command; None when it would, or for another program."""
    program, *rest = words
    if program == "make":
        declared = re.search(r"^\.PHONY: (.+)$", text_of("Makefile"), re.MULTILINE)
        assert declared
        return None if rest and rest[0] in declared[1].split() else "no such target"
    if program != "memorygraph":
        return None
    command: Any = typer.main.get_command(command_tree())
    while rest and rest[0] in getattr(command, "commands", {}):
        command = command.commands[rest.pop(0)]
    if getattr(command, "commands", None) and rest and not rest[0].startswith("-"):
        return f"no such command {rest[0]}"
    try:
        command.make_context("memorygraph", rest)
    except typer.TyperException as error:
        return str(error.format_message())
    return None


def examples(markdown: str) -> str:
    """The Python blocks of a page that show what is typed and what is answered, one after the other."""
    blocks = [block for language, block in _FENCE.findall(markdown) if language == "python" and ">>> " in block]
    return "\n".join(blocks)


def failed_examples(markdown: str) -> list[str]:
    """The examples of a page that do not answer what is shown, run in order as one session."""
    session = doctest.DocTestParser().get_doctest(examples(markdown), {}, "page", None, 0)
    report: list[str] = []
    doctest.DocTestRunner(verbose=False).run(session, out=report.append)
    return report


def test_the_generated_pages_are_what_the_code_says() -> None:
    assert reference.stale() == []


def test_a_generated_page_that_is_changed_or_missing_is_named(tmp_path: Path) -> None:
    for name, text in reference.pages().items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert reference.stale(tmp_path) == []
    (tmp_path / "settings.md").write_text("another text", encoding="utf-8")
    (tmp_path / "cli.md").unlink()
    assert reference.stale(tmp_path) == ["settings.md", "cli.md"]


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    assert broken_links(text_of(page), (CHECKOUT / page).parent) == []


def test_a_link_that_leads_nowhere_would_be_found() -> None:
    planted = (
        "# Here\n[a](README.md) [b](absent.md) [c](#here) [d](#there) [e](README.md#why-forget) [f](README.md#why-not)"
    )
    assert broken_links(planted, CHECKOUT) == ["absent.md", "#there", "README.md#why-not"]


def test_every_page_is_reached_from_the_index() -> None:
    linked = {link.partition("#")[0] for link in _LINK.findall(text_of("docs/index.md"))}
    assert {page.name for page in PAGES if page.parts[0] == "docs"} - {"index.md"} <= linked


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_every_command_that_is_shown_would_be_taken(page: Path) -> None:
    for words in shell_lines(text_of(page)):
        assert refused(words) is None, shlex.join(words)


@pytest.mark.parametrize("line", ["make dmeo", "make", "memorygraph recal x", "memorygraph recall x --most 3"])
def test_a_command_that_would_not_be_taken_is_found(line: str) -> None:
    assert [refused(words) for words in shell_lines(f"```sh\n{line}  # a comment\n```")] != [None]
    assert refused(["memorygraph", "recall", "x", "--limit", "3"]) is None


def test_the_parameters_are_documented_with_their_defaults_and_bounds() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (.+?) \|.*$", text_of("docs/forgetting.md"), re.MULTILINE))
    bounds = dict(re.findall(r"^\| `(\w+)` \| .+? \| (.+?) \|.*$", text_of("docs/forgetting.md"), re.MULTILINE))
    for field in fields(DecayParameters):
        assert rows[field.name] == f"`{field.default}`"
        if field.name in BOUNDS:
            told = str(BOUNDS[field.name]).removeprefix("a whole number ").removeprefix("a number ")
            assert bounds[field.name] == told
    assert rows.keys() == {field.name for field in fields(DecayParameters)}


def test_every_table_of_the_ledger_is_documented_and_every_column_of_those_in_use() -> None:
    page = text_of("docs/data-model.md")
    rows = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", page[page.index("## Ledger") :], re.MULTILINE))
    for name, table in metadata.tables.items():
        assert f"`{name}`" in page
        if name in rows and name != "store":
            assert [column.name for column in table.columns] == [
                word for word in re.findall(r"`(\w+)`", rows[name]) if word in table.columns
            ]
    assert len(rows) == 8


@pytest.mark.parametrize("page", [page for page in PAGES if examples(text_of(page))], ids=str)
def test_every_example_answers_what_is_shown(page: Path) -> None:
    assert failed_examples(text_of(page)) == []


def test_an_example_that_answers_something_else_is_found() -> None:
    assert failed_examples("```python\n>>> 1 + 1\n2\n```") == []
    assert len(failed_examples("```python\n>>> 1 + 1\n3\n```\n\n```python\n>>> absent\n0\n```")) == 2
    assert examples(text_of("docs/forgetting.md")).count(">>> ") > 20


def test_every_picture_is_shown_with_words_for_who_does_not_see_it() -> None:
    shown = {
        (page.parent / place).as_posix(): words for page in PAGES for words, place in _PICTURE.findall(text_of(page))
    }
    drawn = {path.as_posix() for path in tracked_files() if path.parent == Path("docs/pictures")}
    assert shown.keys() == drawn
    assert all(len(words) > 80 for words in shown.values())
    assert len(drawn) >= 4
