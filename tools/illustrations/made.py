"""Everything in docs/ that this package makes: whole pictures, and tables between two marks of a page."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tools.illustrations import bounded_error, comparison
from tools.illustrations.drawing import same_drawing, svg_of
from tools.illustrations.memory_pictures import draw_memory, draw_models, draw_parameters
from tools.illustrations.rules_picture import draw_rules

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["DOCS", "PICTURES", "main", "picture", "stale", "tables", "with_tables"]

DOCS: Final = Path(__file__).resolve().parents[2] / "docs"
_BETWEEN_MARKS = re.compile(r"(<!-- made: ([a-z0-9-]+) -->\n).*?(?=<!-- end -->)", re.DOTALL)


PICTURES: Final[Mapping[str, tuple[Callable[[Figure], None], float, float]]] = {
    "pictures/memory.svg": (draw_memory, 8.4, 5.2),
    "pictures/models.svg": (draw_models, 8.4, 3.4),
    "pictures/parameters.svg": (draw_parameters, 8.4, 7.2),
    "pictures/decay-rules.svg": (draw_rules, 8.4, 5.4),
}
"""What draws each picture, and its width and height in inches, by its path in docs/."""


@cache
def picture(name: str) -> str:
    """The SVG text of the picture ``name`` of :data:`PICTURES`."""
    draw, width, height = PICTURES[name]
    return svg_of(draw, width=width, height=height)


@cache
def tables() -> Mapping[str, str]:
    """Every table, by the name that its mark has."""
    return {
        "even-spacing": bounded_error.even_table(),
        **{f"bounded-error-{k}": text for k, text in bounded_error.error_tables().items()},
        "cold-dates": bounded_error.cold_table(),
        "forgotten": comparison.forgotten_table(),
        "well-kept": comparison.well_kept_table(),
    }


def with_tables(page: str) -> str:
    """``page`` with the tables between its marks as they are now. Raises :class:`KeyError` on a name of none."""
    return _BETWEEN_MARKS.sub(lambda mark: f"{mark[1]}\n{tables()[mark[2]]}\n\n", page)


def stale(docs: Path = DOCS) -> list[str]:
    """Paths in the folder ``docs`` of what is missing or not what the code makes; tables by their page."""
    found = [
        name
        for name in PICTURES
        if not (docs / name).is_file() or not same_drawing((docs / name).read_text(encoding="utf-8"), picture(name))
    ]
    return found + [name for name, page in _pages(docs).items() if page != with_tables(page)]


def main(argv: list[str] | None = None, docs: Path = DOCS) -> int:
    """The program; its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.illustrations", description="Make the pictures and computed tables of docs/."
    )
    parser.add_argument("--check", action="store_true", help="write nothing, and name what is not what the code makes")
    check = parser.parse_args(argv).check
    found = stale(docs)
    if check:
        for name in found:
            print(f"docs/{name} is not what the code makes: run make docs", file=sys.stderr)
        return 1 if found else 0
    for name in found:
        file = docs / name
        file.parent.mkdir(exist_ok=True)
        text = picture(name) if name in PICTURES else with_tables(file.read_text(encoding="utf-8"))
        file.write_text(text, encoding="utf-8")
        print(f"wrote docs/{name}")
    return 0


def _pages(docs: Path) -> dict[str, str]:
    return {file.name: file.read_text(encoding="utf-8") for file in sorted(docs.glob("*.md"))}
