"""The examples of the documentation: what is typed at a prompt, and what is answered."""

from __future__ import annotations

import ast
import contextlib
import doctest
import inspect
import io
import re
import sys
import traceback
from typing import Any

__all__ = ["awaits", "examples", "failed_examples"]

_PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_OPTIONS = doctest.ELLIPSIS


def examples(markdown: str) -> str:
    """The Python blocks of a page that show what is typed and what is answered, one after the other."""
    return "\n".join(block for block in _PYTHON.findall(markdown) if ">>> " in block)


def awaits(markdown: str) -> bool:
    """Whether the examples of a page wait for an engine, as at the prompt of ``python -m asyncio``."""
    return "await " in examples(markdown)


async def failed_examples(markdown: str, **names: Any) -> list[str]:
    """The examples of a page that do not answer what is shown, run in order as one session that knows ``names``."""
    failed = []
    checker = doctest.OutputChecker()
    for example in doctest.DocTestParser().get_examples(examples(markdown), "page"):
        got = await _answer(example.source, names)
        want = example.want if example.exc_msg is None else example.exc_msg
        if not checker.check_output(want, got, _OPTIONS):
            failed.append(f"{example.source}{checker.output_difference(example, got, _OPTIONS)}")
    return failed


async def _answer(source: str, names: dict[str, Any]) -> str:
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        try:
            code = compile(source, "<page>", "single", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            # pytest may have a display of its own.
            shown, sys.displayhook = sys.displayhook, sys.__displayhook__
            try:
                waiting = eval(code, names)
                if inspect.isawaitable(waiting):
                    await waiting
            finally:
                sys.displayhook = shown
        except Exception as error:
            said.write(traceback.format_exception_only(error)[-1])
    return said.getvalue()
