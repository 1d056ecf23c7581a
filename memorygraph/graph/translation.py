"""The driver's errors as ours, in one place."""

from __future__ import annotations

from neo4j import exceptions as driver

from memorygraph import errors

__all__ = ["translate"]

_UNAVAILABLE_CODES = frozenset(
    {
        "Neo.ClientError.Database.DatabaseNotFound",  # the embedded server, while its databases load
        "Neo.TransientError.General.DatabaseUnavailable",
    }
)
_LOGIN_CODES = "Neo.ClientError.Security."
_HINT_REACH = "Check that the graph server runs and that MEMORYGRAPH_NEO4J_URI is right."
_HINT_LOGIN = "Check MEMORYGRAPH_NEO4J_USER and MEMORYGRAPH_NEO4J_PASSWORD."


def _is_passing(error: driver.Neo4jError) -> bool:
    code = error.code or ""
    # A transaction that ran out of time, for locks mostly, is the client's error to the server and a conflict to us;
    # so is a node that another writer removed while it was read.
    passing = ("TimedOut", "LockClient", "EntityNotFound")
    return isinstance(error, driver.TransientError) or any(part in code for part in passing)


def translate(error: driver.Neo4jError | driver.DriverError) -> errors.MemoryGraphError:
    """The exception of our tree for one of the driver's; the caller raises it ``from`` the original."""
    text = getattr(error, "message", None) or str(error) or type(error).__name__
    match error:
        case driver.AuthError() | driver.Forbidden() | driver.AuthConfigurationError():
            return errors.AuthenticationFailed(f"The graph server refused the login: {text}", hint=_HINT_LOGIN)
        case driver.ConstraintError():
            return errors.ConstraintViolated(f"The graph server found a key twice: {text}")
        case driver.Neo4jError() if error.code in _UNAVAILABLE_CODES:
            return errors.StoreUnavailable(f"The graph database is not available: {text}", hint=_HINT_REACH)
        case driver.Neo4jError() if (error.code or "").startswith(_LOGIN_CODES):
            return errors.AuthenticationFailed(f"The graph server refused the login: {text}", hint=_HINT_LOGIN)
        case driver.TransientError() | driver.ClientError() if _is_passing(error):
            return errors.StoreBusy(f"The graph server was too busy with other writers: {text}", hint="Try again.")
        case driver.Neo4jError():
            return errors.StatementFailed(f"The graph server refused a statement ({error.code}): {text}")
        case driver.ServiceUnavailable() | driver.SessionExpired() | driver.ConnectionPoolError():
            return errors.StoreUnavailable(f"The graph server cannot be reached: {text}", hint=_HINT_REACH)
        case driver.UnsupportedServerProduct():
            return errors.ServerTooOld(
                f"What answers at the graph server's address is not Neo4j 5.26 or newer: {text}", hint=_HINT_REACH
            )
        case driver.ConfigurationError():
            return errors.ConfigurationError(f"The driver refused the graph server's settings: {text}")
        case _:
            # SessionError, TransactionError, ResultError, BrokenRecordError: we used the driver wrongly.
            return errors.StatementFailed(f"The driver refused a call ({type(error).__name__}): {text}")
