"""Every exception memorygraph raises on purpose, in one tree.

::

    MemoryGraphError                 code, message, hint
    ├── InvalidInput                 field: what the caller sent cannot be taken; nothing was changed
    │   ├── InvalidEndUserId
    │   ├── NaiveTime
    │   └── InvalidParameters        violations: every one of them, at once
    ├── NotFound                     no such thing within this user's memory
    ├── Tombstoned                   the value was rejected or erased; writing it again is refused
    ├── Conflict                     the world moved: look again and repeat
    │   ├── IdempotencyConflict      the key was used before for another request
    │   ├── CycleRunning             another worker is forgetting for this user
    │   └── LeaseLost                a newer worker took over; nothing of this one's was committed
    ├── ConfigurationError
    │   ├── UnknownSetting           names the near one
    │   └── MissingExtra             names the package extra to install
    ├── ScopeViolation               a statement tried to leave its user; always a bug of ours
    ├── Forbidden                    the caller's scopes do not allow it
    ├── ModelError                   the language model; cost: what was spent until then
    │   ├── ModelUnavailable         no answer: down, overloaded, too slow; worth another try later
    │   ├── ModelMisconfigured       the provider refuses the key, the account or the model's name
    │   └── ExtractionFailed         it answered, and nothing could be made of it after a repair
    │       └── ReplyTruncated       the answer, or the question, was longer than the model allows
    ├── EmbedderError                the embedding model failed or returned something unusable
    └── StoreError                   graph server or ledger
        ├── StoreUnavailable         not reachable, or gone in the middle and retried in vain
        │   └── StoreBusy            transient conflicts outlasted every retry
        ├── AuthenticationFailed
        ├── ConstraintViolated
        ├── StatementFailed          the server refused a statement; always a bug of ours
        └── StartRefused             the store was left untouched
            ├── ServerTooOld
            ├── SchemaTooNew
            ├── StoreCorrupt
            ├── StoreMismatch        graph, ledger and store.json are not of one store
            ├── EmbedderMismatch
            ├── DataFolderUnusable   full, read-only, not ours
            └── PlatformUnsupported  no embedded graph server for this platform

``code`` is stable and the same on every surface; ``hint`` is one sentence that says what to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from memorygraph.cost import NOTHING_SPENT, Cost

__all__ = [
    "AuthenticationFailed",
    "ConfigurationError",
    "Conflict",
    "ConstraintViolated",
    "CycleRunning",
    "DataFolderUnusable",
    "EmbedderError",
    "EmbedderMismatch",
    "ExtractionFailed",
    "Forbidden",
    "IdempotencyConflict",
    "InvalidEndUserId",
    "InvalidInput",
    "InvalidParameters",
    "LeaseLost",
    "MemoryGraphError",
    "MissingExtra",
    "ModelError",
    "ModelMisconfigured",
    "ModelUnavailable",
    "NaiveTime",
    "NotFound",
    "PlatformUnsupported",
    "ReplyTruncated",
    "SchemaTooNew",
    "ScopeViolation",
    "ServerTooOld",
    "StartRefused",
    "StatementFailed",
    "StoreBusy",
    "StoreCorrupt",
    "StoreError",
    "StoreMismatch",
    "StoreUnavailable",
    "Tombstoned",
    "UnknownSetting",
]


class MemoryGraphError(Exception):
    """Base of all. ``str(error)`` is the message followed by the hint, if there is one."""

    code: ClassVar[str] = "error"

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message if hint is None else f"{message} {hint}")
        self.message = message
        self.hint = hint


class InvalidInput(MemoryGraphError, ValueError):
    """What the caller sent cannot be taken. ``field`` names the argument."""

    code = "invalid_input"

    def __init__(self, message: str, *, field: str | None = None, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.field = field


class InvalidEndUserId(InvalidInput):
    code = "invalid_end_user_id"


class NaiveTime(InvalidInput):
    code = "naive_time"


class InvalidParameters(InvalidInput):
    """Decay parameters that cannot stand; ``violations`` lists every reason."""

    code = "invalid_parameters"

    def __init__(self, message: str, *, violations: Sequence[str] = (), hint: str | None = None) -> None:
        super().__init__(message, field="parameters", hint=hint)
        self.violations = tuple(violations)


class NotFound(MemoryGraphError, LookupError):
    code = "not_found"


class Tombstoned(MemoryGraphError):
    """The value was rejected or erased. ``kind`` is ``rejected`` or ``erased``, ``fingerprint`` names the tombstone."""

    code = "tombstoned"

    def __init__(self, message: str, *, kind: str, fingerprint: str, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.kind = kind
        self.fingerprint = fingerprint


class Conflict(MemoryGraphError):
    code = "conflict"


class IdempotencyConflict(Conflict):
    code = "idempotency_conflict"


class CycleRunning(Conflict):
    code = "cycle_running"


class LeaseLost(Conflict):
    code = "lease_lost"


class ConfigurationError(MemoryGraphError):
    code = "configuration"


class UnknownSetting(ConfigurationError):
    code = "unknown_setting"


class MissingExtra(ConfigurationError):
    code = "missing_extra"


class ScopeViolation(MemoryGraphError):
    code = "scope_violation"


class EmbedderError(MemoryGraphError):
    code = "embedder"


class ModelError(MemoryGraphError):
    """``cost`` is what was spent on the language model until then, the failed call included."""

    code = "model"

    def __init__(self, message: str, *, cost: Cost = NOTHING_SPENT, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.cost = cost


class ModelUnavailable(ModelError):
    """``retry_after`` is in how many seconds the provider wants to be asked again, None when it did not say."""

    code = "model_unavailable"

    def __init__(
        self,
        message: str,
        *,
        retry_after: float | None = None,
        cost: Cost = NOTHING_SPENT,
        hint: str | None = None,
    ) -> None:
        super().__init__(message, cost=cost, hint=hint)
        self.retry_after = retry_after


class ModelMisconfigured(ModelError):
    code = "model_misconfigured"


class ExtractionFailed(ModelError):
    code = "extraction_failed"


class ReplyTruncated(ExtractionFailed):
    code = "reply_truncated"


class Forbidden(MemoryGraphError):
    """The caller's scopes do not allow this; ``scope`` is the one that does."""

    code = "forbidden"

    def __init__(self, message: str, *, scope: str, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.scope = scope


class StoreError(MemoryGraphError):
    code = "store"


class StoreUnavailable(StoreError):
    code = "store_unavailable"


class StoreBusy(StoreUnavailable):
    code = "store_busy"


class AuthenticationFailed(StoreError):
    code = "authentication_failed"


class ConstraintViolated(StoreError):
    code = "constraint_violated"


class StatementFailed(StoreError):
    code = "statement_failed"


class StartRefused(StoreError):
    code = "start_refused"


class ServerTooOld(StartRefused):
    code = "server_too_old"


class SchemaTooNew(StartRefused):
    code = "schema_too_new"


class StoreCorrupt(StartRefused):
    code = "store_corrupt"


class StoreMismatch(StartRefused):
    code = "store_mismatch"


class EmbedderMismatch(StartRefused):
    code = "embedder_mismatch"


class DataFolderUnusable(StartRefused):
    code = "data_folder_unusable"


class PlatformUnsupported(StartRefused):
    code = "platform_unsupported"
