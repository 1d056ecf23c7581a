"""What each kind of failure means for a job, and what is kept of it."""

from __future__ import annotations

import pytest

from memorygraph import errors
from memorygraph.jobs.failures import describe, is_about_a_model, judge

SECRET = "Ana's PIN is 4711"


def raised(error: Exception) -> Exception:
    try:
        raise error
    except Exception as caught:
        return caught


@pytest.mark.parametrize(
    "error",
    [
        errors.ModelUnavailable("down"),
        errors.ModelMisconfigured("no such model"),
        errors.EmbedderError("down"),
        errors.ConfigurationError("no key"),
        errors.MissingExtra("no model"),
        errors.StoreUnavailable("gone"),
        errors.StoreBusy("busy"),
        errors.AuthenticationFailed("refused"),
    ],
)
def test_what_is_away_or_not_set_up_is_waited_for(error: Exception) -> None:
    assert judge(error) == "wait"
    assert is_about_a_model(error) == (not isinstance(error, errors.StoreError))


@pytest.mark.parametrize(
    "error",
    [
        errors.InvalidInput("no"),
        errors.NaiveTime("no"),
        errors.NotFound("no"),
        errors.Tombstoned("no", kind="erased", fingerprint="f"),
        errors.Forbidden("no", scope="write"),
        errors.IdempotencyConflict("no"),
        errors.ScopeViolation("no"),
    ],
)
def test_what_would_happen_each_time_is_not_tried_again(error: Exception) -> None:
    assert judge(error) == "fail"
    assert not is_about_a_model(error)


@pytest.mark.parametrize(
    "error", [errors.ExtractionFailed("no"), errors.LeaseLost("no"), errors.StatementFailed("no"), KeyError("no")]
)
def test_anything_else_is_tried_again(error: Exception) -> None:
    assert judge(error) == "retry"
    assert not is_about_a_model(error)


def test_of_an_error_its_kind_and_place_are_kept_and_never_its_words() -> None:
    assert describe(raised(errors.ExtractionFailed(SECRET, hint=SECRET))) == "extraction_failed"
    kept = describe(raised(ValueError(SECRET)))
    assert kept.startswith("ValueError in ")
    assert kept.split(" in ")[1].split(":")[0] == __name__
    assert SECRET not in kept
    assert describe(KeyError(SECRET)) == "KeyError", "one that was never raised has no place"
