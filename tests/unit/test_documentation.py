"""The documentation says what the code says: generated pages, links, commands, tables."""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import pytest
import typer

from memorygraph import Memory, MemoryEngine
from memorygraph.background import Background
from memorygraph.fusion.cycle import Forgetting
from memorygraph.ledger.tables import metadata
from memorygraph_api.cli import command_tree
from memorygraph_forgetting import BOUNDS, DecayParameters
from tests.support.checkout import CHECKOUT, tracked_files
from tests.support.examples import awaits, examples, failed_examples
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


# What the pages call by these names; of an engine, what only its instances have.
_SDK: dict[str, Any] = {"memory": Memory, "engine": MemoryEngine}
_PARTS = {(MemoryEngine, "forgetting"): Forgetting, (MemoryEngine, "background"): Background}
_CALLED = re.compile(r"(?<![\w./])(memory|engine)((?:\.\w+)+)(?:\(([^()]*)\))?")
_CALLS = re.compile(r"^\| call of `(memory(?:\.\w+)?)` \|.*\n\|[-|]+\n((?:\|.+\n)+)", re.MULTILINE)


def sdk_calls(markdown: str) -> Iterator[tuple[str, list[str]]]:
    """The names of the SDK that a page uses, with the arguments that it names."""
    for root, rest, arguments in _CALLED.findall(markdown):
        if rest != ".py":
            yield root + rest, re.findall(r"(\w+)=", re.sub(r"\"[^\"]*\"", "", arguments))
    for of, rows in _CALLS.findall(markdown):
        for cell in re.findall(r"^\| (.+?) \|", rows, re.MULTILINE):
            for name, arguments in re.findall(r"(\w+)\(([^()]*)\)", cell):
                yield f"{of}.{name}", re.findall(r"\w+", arguments)


def unknown_to_the_sdk(markdown: str) -> list[str]:
    """The names that the SDK does not have, and the calls that do not take an argument that is named."""
    return [called for called, arguments in sdk_calls(markdown) if not takes(called, arguments)]


def takes(called: str, arguments: list[str]) -> bool:
    """Whether the SDK has what a dotted name names, and that takes all of ``arguments``."""
    root, *rest = called.split(".")
    found: Any = _SDK[root]
    for name in rest:
        owner = get_type_hints(found.fget)["return"] if isinstance(found, property) else found
        found = _PARTS.get((owner, name)) or getattr(owner, name, None)
        if found is None:
            return False
    return set(arguments) <= (inspect.signature(found).parameters.keys() if inspect.isfunction(found) else set())


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


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_every_name_of_the_sdk_that_is_used_is_there(page: Path) -> None:
    assert unknown_to_the_sdk(text_of(page)) == []


def test_a_name_that_the_sdk_does_not_have_is_found() -> None:
    right = '`memory.remember(text, kind="a=b")` `engine.forgetting.run` `memory.jobs.wait(id, timeout=3)` hit.memory.x'
    assert unknown_to_the_sdk(right) == []
    wrong = "`memory.forget()` `engine.jobs.list` `memory.jobs.wait(id, seconds=3)`"
    assert unknown_to_the_sdk(wrong) == ["memory.forget", "engine.jobs.list", "memory.jobs.wait"]
    table = "| call of `memory.review` | what it does |\n|---|---|\n| `approve(id)`, `{}` | x |\n"
    assert unknown_to_the_sdk(table.format("lift(fingerprint)")) == []
    assert unknown_to_the_sdk(table.format("lift(print)")) == ["memory.review.lift"]
    assert len(list(sdk_calls(text_of("docs/writing.md")))) > 30


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
    assert len(rows) == 10


ALONE = [page for page in PAGES if examples(text_of(page)) and not awaits(text_of(page))]


@pytest.mark.parametrize("page", ALONE, ids=str)
async def test_every_example_that_needs_no_engine_answers_what_is_shown(page: Path) -> None:
    assert await failed_examples(text_of(page)) == []


async def test_an_example_that_answers_something_else_is_found() -> None:
    assert await failed_examples("```python\n>>> 1 + 1\n2\n```") == []
    assert len(await failed_examples("```python\n>>> 1 + 1\n3\n```\n\n```python\n>>> absent\n0\n```")) == 2
    raised = "```python\n>>> int('x')\nTraceback (most recent call last):\nValueError: {}\n```"
    assert await failed_examples(raised.format("invalid literal ...")) == []
    assert len(await failed_examples(raised.format("another"))) == 1
    assert examples(text_of("docs/forgetting.md")).count(">>> ") > 20


def test_every_picture_is_shown_with_words_for_who_does_not_see_it() -> None:
    shown = {
        (page.parent / place).as_posix(): words for page in PAGES for words, place in _PICTURE.findall(text_of(page))
    }
    drawn = {path.as_posix() for path in tracked_files() if path.parent == Path("docs/pictures")}
    assert shown.keys() == drawn
    assert all(len(words) > 80 for words in shown.values())
    assert len(drawn) >= 4
