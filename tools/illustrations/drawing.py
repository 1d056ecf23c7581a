"""Figures as SVG that is the same wherever it is made, small, and readable on a light and on a dark page."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.typing import RcKeyType

__all__ = ["BLUE", "GREEN", "GREY", "ORANGE", "PURPLE", "RED", "SKY", "days_on_a_log_axis", "same_drawing", "svg_of"]

# The palette of Okabe and Ito, which people who see colours differently can tell apart.
BLUE, ORANGE, GREEN, RED = "#0072b2", "#e69f00", "#009e73", "#d55e00"
SKY, PURPLE, GREY = "#56b4e9", "#cc79a7", "#777777"

_STYLE: dict[RcKeyType, Any] = {
    "axes.edgecolor": GREY,
    "axes.grid": True,
    "axes.labelsize": 9,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "figure.facecolor": "white",  # opaque, or the words would vanish on a dark page
    "font.size": 9,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.6,
    "legend.borderaxespad": 0.3,
    "legend.edgecolor": "none",
    "legend.fontsize": 8,
    "legend.framealpha": 0.9,
    "legend.handlelength": 1.4,
    "lines.linewidth": 1.6,
    "lines.solid_capstyle": "round",
    "path.simplify": False,  # which points it leaves out would hang on the last digit
    "svg.fonttype": "none",
    "svg.hashsalt": "memorygraph",
    "svg.id": None,
    "xtick.bottom": False,  # the grid says where the numbers are
    "xtick.color": "#444444",
    "xtick.labelsize": 8,
    "ytick.color": "#444444",
    "ytick.labelsize": 8,
    "ytick.left": False,
}
_FONTS = "'DejaVu Sans', Verdana, Arial, Helvetica, sans-serif"
# Split by it, a text is even places of words and odd places of numbers.
_NUMBER = re.compile(r"(-?\d+(?:\.\d+)?)")
_LONG_NUMBER = re.compile(r"(?<![\w.#])-?\d+\.\d{3,}")
_TOLERANCE = 0.02  # of a point: what is drawn is rounded to a hundredth


def svg_of(draw: Callable[[Figure], None], *, width: float, height: float) -> str:
    """The SVG of what ``draw`` draws on a figure of ``width`` × ``height`` inches."""
    import matplotlib as mpl  # takes most of a second, and who only wants the tables never needs it
    from matplotlib.figure import Figure

    with mpl.rc_context():
        mpl.rcdefaults()  # whatever the machine's own settings are
        mpl.rcParams.update(_STYLE)
        figure = Figure(figsize=(width, height), layout="constrained")
        draw(figure)
        file = io.StringIO()
        figure.savefig(file, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
    return _tidied(file.getvalue())


def same_drawing(one: str, other: str) -> bool:
    """Whether two SVG texts say the same but for numbers that differ by 0.02 at most."""
    if one == other:
        return True
    parts, others = _NUMBER.split(one), _NUMBER.split(other)
    return len(parts) == len(others) and all(
        a == b or (place % 2 == 1 and abs(float(a) - float(b)) <= _TOLERANCE)
        for place, (a, b) in enumerate(zip(parts, others, strict=True))
    )


def days_on_a_log_axis(axes: Axes, first: float, last: float) -> None:
    """Give ``axes`` a logarithmic axis of days from ``first`` to ``last``, marked in plain numbers."""
    from matplotlib.ticker import FuncFormatter, NullLocator

    axes.set_xscale("log")
    axes.set_xlim(first, last)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda days, _: f"{days:,g}"))
    axes.xaxis.set_minor_locator(NullLocator())


def _tidied(svg: str) -> str:
    svg = re.sub(r"<!DOCTYPE.*?>\n", "", svg, flags=re.DOTALL)
    svg = re.sub(r" *<metadata>.*?</metadata>\n", "", svg, flags=re.DOTALL)
    svg = re.sub(r" ?font-family: [^;\"]+;?", "", svg)
    svg = svg.replace("</style>", f"text{{font-family: {_FONTS}}}</style>", 1)
    svg = re.sub(r' transform="rotate\(-?0 [^"]*\)"', "", svg)
    svg = re.sub(r"<[^>]+>", lambda tag: _LONG_NUMBER.sub(_to_a_hundredth, tag[0]), svg)
    # What is drawn several times is named by a hash of its numbers, which changes with the last digit of one.
    hashed = dict.fromkeys(re.findall(r'id="([mp][0-9a-f]{10})"', svg))
    for number, name in enumerate(hashed):
        svg = svg.replace(name, f"{name[0]}{number}")
    svg = re.sub(r' id="[a-z0-9.]+_\d+"', "", svg)  # of groups, which nothing refers to
    return re.sub(r"^[ \t]+|[ \t]+$", "", svg, flags=re.MULTILINE)


def _to_a_hundredth(number: re.Match[str]) -> str:
    short = f"{float(number[0]):.2f}".rstrip("0").rstrip(".")
    return "0" if short == "-0" else short
