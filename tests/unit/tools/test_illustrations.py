"""What docs/ shows is what the code makes: pictures, and tables between marks."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tools.illustrations.drawing import same_drawing, svg_of
from tools.illustrations.made import DOCS, PICTURES, main, picture, stale, with_tables
from tools.illustrations.memory_pictures import draw_models


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A copy of the pages and pictures, to be changed."""
    copy = tmp_path / "docs"
    shutil.copytree(DOCS, copy)
    return copy


def test_the_pictures_and_tables_are_what_the_code_makes() -> None:
    assert stale() == []


def test_a_picture_or_table_that_is_changed_or_missing_is_named(docs: Path) -> None:
    assert stale(docs) == []
    (docs / "pictures" / "models.svg").unlink()
    memory, page = docs / "pictures" / "memory.svg", docs / "forgetting.md"
    memory.write_text(memory.read_text(encoding="utf-8").replace("cold on day", "warm on day"), encoding="utf-8")
    page.write_text(page.read_text(encoding="utf-8").replace("| 2,677 |", "| 2,678 |", 1), encoding="utf-8")
    assert stale(docs) == ["pictures/memory.svg", "pictures/models.svg", "forgetting.md"]


def test_check_names_what_is_stale_and_writes_nothing_and_without_it_all_is_written(
    docs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(docs / "pictures")
    assert main(["--check"], docs) == 1
    told = capsys.readouterr().err
    assert all(f"docs/{name}" in told for name in PICTURES)
    assert not (docs / "pictures").exists()
    assert main([], docs) == 0
    assert stale(docs) == []
    assert main(["--check"], docs) == 0
    assert capsys.readouterr().err == ""


def test_a_table_takes_the_place_of_what_is_between_its_marks_and_of_nothing_else() -> None:
    page = "a\n<!-- made: even-spacing -->\nold\n<!-- end -->\nb\n<!-- made: forgotten -->\n<!-- end -->\nc\n"
    made = with_tables(page)
    assert "old" not in made
    assert re.sub(r"^\|.*\n", "", made, flags=re.MULTILINE).split() == page.replace("old\n", "").split()
    assert with_tables(made) == made


def test_the_mark_of_a_table_that_is_not_there_is_refused() -> None:
    with pytest.raises(KeyError, match="absent"):
        with_tables("<!-- made: absent -->\n<!-- end -->\n")


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_small_opaque_and_says_nothing_of_when_or_with_what_it_was_made(name: str) -> None:
    svg = picture(name)
    assert len(svg.encode()) < 60_000
    assert "fill: #ffffff" in svg.split("</g>")[0]  # the first thing that is drawn
    assert not re.search(r"metadata|[mp][0-9a-f]{10}", svg)
    assert not re.search(r"<[^>]*\d\.\d{3}", svg)  # numbers of what is drawn are short, those that are told stand
    root = ElementTree.fromstring(svg)
    defined = {element.get("id") for element in root.iter()}
    assert set(re.findall(r'(?:href="#|url\(#)(\w+)', svg)) <= defined


def test_a_picture_is_the_same_when_it_is_drawn_again() -> None:
    assert svg_of(draw_models, width=8.4, height=3.4) == picture("pictures/models.svg")


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ("M 10.5 -3\nL 7 2", True),
        ("M 10.51 -3.01\nL 7 2", True),  # as another processor might round
        ("M 10.6 -3\nL 7 2", False),
        ("M 10.5 3\nL 7 2", False),
        ("M 10.5 -3\nM 7 2", False),
        ("M 10.5 -3", False),
    ],
)
def test_drawings_are_compared_but_for_the_last_digits(other: str, same: bool) -> None:
    assert same_drawing("M 10.5 -3\nL 7 2", other) is same
