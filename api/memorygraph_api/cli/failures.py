"""Errors as the command line tells them: on standard error, with an exit code.

Exit codes: 0 done, 1 an error, 2 the command was not understood, 130 interrupted.
"""

from __future__ import annotations

import errno
import json
import sys
import traceback
from typing import Any

import typer

from memorygraph.errors import InvalidInput, InvalidParameters, MemoryGraphError
from memorygraph_api.wire import plain

__all__ = ["EXIT_ERROR", "EXIT_INTERRUPTED", "EXIT_OK", "EXIT_USAGE", "describe", "report"]

EXIT_OK = 0
EXIT_ERROR = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130

# What the store could not write comes as an error of the engine's own.
_NOWHERE_TO_WRITE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}


def describe(error: BaseException) -> dict[str, Any]:
    """``code``, ``message`` and ``hint`` of an error, and ``field`` or ``violations`` where it has them.

    ``code`` is that of :mod:`memorygraph.errors`; ``usage`` for a command that was not understood;
    ``output`` where its output cannot be written; ``internal`` for what should not have happened,
    which carries its ``traceback``.
    """
    if isinstance(error, MemoryGraphError):
        told: dict[str, Any] = {"code": error.code, "message": error.message, "hint": error.hint}
        if isinstance(error, InvalidInput) and error.field:
            told["field"] = error.field
        if isinstance(error, InvalidParameters):
            told["violations"] = list(error.violations)
        return told
    if isinstance(error, typer.TyperException):
        path = getattr(getattr(error, "ctx", None), "command_path", "memorygraph")
        return {"code": "usage", "message": error.format_message(), "hint": f"See {path} --help."}
    if isinstance(error, OSError) and error.errno in _NOWHERE_TO_WRITE:
        return {
            "code": "output",
            "message": f"The output cannot be written: {error.strerror}.",
            "hint": "What the command has done stays done. Make room, or let it write elsewhere.",
        }
    return {
        "code": "internal",
        "message": f"{type(error).__name__}: {error}",
        "hint": "This is a defect of memorygraph; the traceback says where.",
        "traceback": "".join(traceback.format_exception(error)),
    }


def report(error: BaseException, *, as_json: bool) -> int:
    """Tell ``error`` on standard error and return the exit code for it."""
    told = describe(error)
    if as_json:
        sys.stderr.write(json.dumps({"error": told}) + "\n")
    else:
        # Python's own handler for what standard error cannot encode is backslashreplace: nothing is lost.
        for violation in told.get("violations", ()):
            told["message"] += f"\n  - {violation}"
        lines = [told.get("traceback", "").rstrip(), f"error: {told['message']}", told["hint"]]
        sys.stderr.write("\n".join(plain(line) for line in lines if line) + "\n")
    return EXIT_USAGE if told["code"] == "usage" else EXIT_ERROR
