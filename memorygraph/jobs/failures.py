"""What a job's failure means: wait for what is away, try again, or give up."""

from __future__ import annotations

import traceback
from typing import Literal, TypeAlias

from memorygraph.errors import (
    AuthenticationFailed,
    ConfigurationError,
    EmbedderError,
    Forbidden,
    IdempotencyConflict,
    InvalidInput,
    MemoryGraphError,
    ModelMisconfigured,
    ModelUnavailable,
    NotFound,
    ScopeViolation,
    StoreUnavailable,
    Tombstoned,
)

__all__ = ["Verdict", "describe", "is_about_a_model", "judge"]

Verdict: TypeAlias = Literal["wait", "retry", "fail"]

_MODELS = (ModelUnavailable, ModelMisconfigured, EmbedderError, ConfigurationError)
_AWAY = (*_MODELS, StoreUnavailable, AuthenticationFailed)
_HOPELESS = (InvalidInput, NotFound, Tombstoned, Forbidden, IdempotencyConflict, ScopeViolation)


def judge(error: BaseException) -> Verdict:
    """``wait``: something the job needs is away or not set up, which is not the job's fault and will pass.

    ``fail``: the same would happen each time. ``retry``: anything else; it may be the job's own fault.
    """
    if isinstance(error, _AWAY):
        return "wait"
    return "fail" if isinstance(error, _HOPELESS) else "retry"


def is_about_a_model(error: BaseException) -> bool:
    """Whether a language or embedding model is away or not set up."""
    return isinstance(error, _MODELS)


def describe(error: BaseException) -> str:
    """What may be kept of an error: the code of one of ours, else its class and the line of code it came from.

    Never its message, which can quote a memory.
    """
    if isinstance(error, MemoryGraphError):
        return error.code
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    if not frames:
        return type(error).__name__
    frame = frames[-1]
    return f"{type(error).__name__} in {frame.f_globals.get('__name__', '?')}:{frame.f_lineno}"
