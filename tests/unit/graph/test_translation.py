from collections.abc import Iterator

import pytest
from neo4j import exceptions

from memorygraph import errors
from memorygraph.graph.translation import translate


def subclasses(base: type[Exception]) -> Iterator[type[Exception]]:
    yield base
    for subclass in base.__subclasses__():
        yield from subclasses(subclass)


EXPECTED: dict[str, type[errors.MemoryGraphError]] = {
    "Neo4jError": errors.StatementFailed,
    "ClientError": errors.StatementFailed,
    "CypherSyntaxError": errors.StatementFailed,
    "CypherTypeError": errors.StatementFailed,
    "ConstraintError": errors.ConstraintViolated,
    "AuthError": errors.AuthenticationFailed,
    "TokenExpired": errors.AuthenticationFailed,
    "Forbidden": errors.AuthenticationFailed,
    "DatabaseError": errors.StatementFailed,
    "TransientError": errors.StoreBusy,
    "DatabaseUnavailable": errors.StoreBusy,
    "NotALeader": errors.StoreBusy,
    "ForbiddenOnReadOnlyDatabase": errors.StoreBusy,
    "DriverError": errors.StatementFailed,
    "SessionError": errors.StatementFailed,
    "TransactionError": errors.StatementFailed,
    "TransactionNestingError": errors.StatementFailed,
    "ResultError": errors.StatementFailed,
    "ResultFailedError": errors.StatementFailed,
    "ResultConsumedError": errors.StatementFailed,
    "ResultNotSingleError": errors.StatementFailed,
    "BrokenRecordError": errors.StatementFailed,
    "SessionExpired": errors.StoreUnavailable,
    "ServiceUnavailable": errors.StoreUnavailable,
    "RoutingServiceUnavailable": errors.StoreUnavailable,
    "WriteServiceUnavailable": errors.StoreUnavailable,
    "ReadServiceUnavailable": errors.StoreUnavailable,
    "IncompleteCommit": errors.StoreUnavailable,
    "ConfigurationError": errors.ConfigurationError,
    "AuthConfigurationError": errors.AuthenticationFailed,
    "CertificateConfigurationError": errors.ConfigurationError,
    "UnsupportedServerProduct": errors.ServerTooOld,
    "ConnectionPoolError": errors.StoreUnavailable,
    "ConnectionAcquisitionTimeoutError": errors.StoreUnavailable,
}
DRIVER_CLASSES = {c.__name__: c for base in (exceptions.Neo4jError, exceptions.DriverError) for c in subclasses(base)}


def made(cls: type[Exception]) -> exceptions.Neo4jError | exceptions.DriverError:
    error = cls.__new__(cls)
    Exception.__init__(error, "what the driver says")
    if isinstance(error, exceptions.Neo4jError):
        error._neo4j_code = "Neo.ClientError.Some.Code"
        error._message = "what the server says"
    assert isinstance(error, exceptions.Neo4jError | exceptions.DriverError)
    return error


def test_every_exception_class_of_the_driver_is_known_here() -> None:
    assert set(DRIVER_CLASSES) == set(EXPECTED)


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_driver_error_becomes_one_of_ours(name: str) -> None:
    translated = translate(made(DRIVER_CLASSES[name]))
    assert type(translated) is EXPECTED[name]
    assert translated.code


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("Neo.ClientError.Database.DatabaseNotFound", errors.StoreUnavailable),
        ("Neo.ClientError.Security.AuthenticationRateLimit", errors.AuthenticationFailed),
        ("Neo.ClientError.Security.Unauthorized", errors.AuthenticationFailed),
        ("Neo.ClientError.Schema.ConstraintValidationFailed", errors.ConstraintViolated),
        ("Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration", errors.StoreBusy),
        ("Neo.TransientError.Transaction.DeadlockDetected", errors.StoreBusy),
        ("Neo.ClientError.Statement.EntityNotFound", errors.StoreBusy),
        ("Neo.ClientError.Statement.SyntaxError", errors.StatementFailed),
        ("Neo.DatabaseError.General.UnknownError", errors.StatementFailed),
    ],
)
def test_a_server_error_is_translated_by_its_code(code: str, expected: type[errors.MemoryGraphError]) -> None:
    error = exceptions.Neo4jError._hydrate_neo4j(code=code, message="what the server says")
    translated = translate(error)
    assert type(translated) is expected
    assert "what the server says" in str(translated)
