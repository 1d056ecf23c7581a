"""One call to a language model of any provider that litellm speaks to, and what its failures mean."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from enum import Enum
from typing import Any

from pydantic import SecretStr

from memorygraph.cost import Cost
from memorygraph.errors import ExtractionFailed, ModelError, ModelMisconfigured, ModelUnavailable, ReplyTruncated
from memorygraph.litellm_module import litellm_module

__all__ = ["CallFailed", "Completion", "Provider", "Refusal"]

_SCHEMA_REFUSED = re.compile(r"response_format|json_schema|json_object|grammar|schema|structured output", re.IGNORECASE)
_TOO_LONG = re.compile(
    r"context (length|window|size)|maximum context|too many tokens|prompt is too long", re.IGNORECASE
)
_SECRET_VARIABLE = re.compile(r"(_KEY|_TOKEN|_SECRET|_PASSWORD)$")
# Servers on one's own machine ask for no key, but the client in between does.
_NO_KEY = "none"


class Refusal(Enum):
    """Why a request may be worth another one right away, in another form."""

    RESPONSE_FORMAT = "response_format"
    TEMPERATURE = "temperature"
    BUSY = "busy"  # the same request, a moment later
    FINAL = "final"


@dataclass(frozen=True, slots=True)
class Completion:
    """What the model said."""

    text: str | None
    cut_off: bool  # it was stopped before its end
    cost: Cost


class CallFailed(Exception):
    """``error`` is what to raise if nothing else can be done."""

    def __init__(self, error: ModelError, refusal: Refusal) -> None:
        super().__init__(error.message)
        self.error = error
        self.refusal = refusal


class Provider:
    """Calls ``model`` (litellm's notation) synchronously, once for each :meth:`complete`: no retries in between."""

    def __init__(
        self, model: str, *, api_base: str | None, api_key: SecretStr | None, timeout: float, max_output_tokens: int
    ) -> None:
        self._model = model
        self._api_base = api_base
        self._api_key = api_key
        self._timeout = timeout
        self._max_output_tokens = max_output_tokens

    def complete(
        self,
        messages: Sequence[Mapping[str, str]],
        *,
        response_format: Mapping[str, Any] | None,
        temperature: float | None,
    ) -> Completion:
        """The model's answer. Raises :class:`CallFailed`, whose error has the cost of this call."""
        litellm = litellm_module()
        options: dict[str, Any] = {
            "api_base": self._api_base,
            "api_key": self._key(),
            "response_format": response_format,
            "temperature": temperature,
        }
        try:
            response = litellm.completion(
                model=self._model,
                messages=list(messages),
                max_tokens=self._max_output_tokens,
                timeout=self._timeout,
                max_retries=0,
                caching=False,
                **{name: value for name, value in options.items() if value is not None},
            )
            choice = response.choices[0]
            text, finish_reason = choice.message.content, choice.finish_reason
        except Exception as error:  # the providers' exceptions have no common base below Exception
            # From None: what the provider said may repeat the key or the conversation.
            raise self._failure(litellm, error) from None
        usage = getattr(response, "usage", None)
        cost = Cost(
            calls=1,
            prompt_tokens=_count(getattr(usage, "prompt_tokens", None)),
            completion_tokens=_count(getattr(usage, "completion_tokens", None)),
        )
        return Completion(text if isinstance(text, str) else None, finish_reason == "length", cost)

    def _key(self) -> str | None:
        if self._api_key is not None:
            return self._api_key.get_secret_value()
        own_server = self._api_base is not None and self._model.startswith("openai/")
        return _NO_KEY if own_server and "OPENAI_API_KEY" not in os.environ else None

    def _failure(self, litellm: Any, error: Exception) -> CallFailed:
        status = getattr(error, "status_code", None)
        said = str(error)
        never_sent = isinstance(error, litellm.UnsupportedParamsError)
        cost = Cost(calls=0 if never_sent else 1)
        if isinstance(error, litellm.BadRequestError) and "LLM Provider NOT provided" in said:
            misnamed = ModelMisconfigured(
                f"litellm does not know whose model {self._model} is.",
                hint="MEMORYGRAPH_LLM_MODEL begins with the provider: openai/gpt-4o-mini.",
            )
            return CallFailed(misnamed, Refusal.FINAL)
        if status in (401, 402, 403):
            refused = ModelMisconfigured(
                f"The provider of {self._model} refused the key or the account.",
                cost=cost,
                hint="Check MEMORYGRAPH_LLM_API_KEY, or the provider's own variable, and the account it belongs to.",
            )
            return CallFailed(refused, Refusal.FINAL)
        reason = self._told(said)
        if isinstance(error, litellm.NotFoundError):
            absent = ModelMisconfigured(
                f"The provider does not have {self._model}: {reason}",
                cost=cost,
                hint="Check MEMORYGRAPH_LLM_MODEL and MEMORYGRAPH_LLM_API_BASE.",
            )
            return CallFailed(absent, Refusal.FINAL)
        if isinstance(error, litellm.ContextWindowExceededError) or (
            status in (400, 413, 500) and _TOO_LONG.search(said)
        ):
            return CallFailed(
                ReplyTruncated(f"The request was longer than {self._model} allows: {reason}", cost=cost), Refusal.FINAL
            )
        if isinstance(error, litellm.ContentPolicyViolationError):
            return CallFailed(
                ExtractionFailed(f"The provider of {self._model} refuses this text: {reason}", cost=cost), Refusal.FINAL
            )
        if isinstance(error, litellm.BadRequestError | litellm.UnprocessableEntityError) or status in (400, 413, 422):
            told = ExtractionFailed(f"The provider of {self._model} refused the request: {reason}", cost=cost)
            return CallFailed(told, Refusal.TEMPERATURE if "temperature" in said else Refusal.RESPONSE_FORMAT)
        if isinstance(error, litellm.Timeout):
            late = ModelUnavailable(
                f"{self._model} did not answer in time, which is at most {self._timeout:g} seconds.", cost=cost
            )
            return CallFailed(late, Refusal.FINAL)
        away = ModelUnavailable(
            f"The provider of {self._model} failed: {reason}", cost=cost, retry_after=_retry_after(error)
        )
        if status in (500, 501) and _SCHEMA_REFUSED.search(said):
            return CallFailed(away, Refusal.RESPONSE_FORMAT)
        return CallFailed(away, Refusal.BUSY)

    def _told(self, said: str) -> str:
        """The beginning of what a provider said, without any secret."""
        secrets = [value for name, value in os.environ.items() if _SECRET_VARIABLE.search(name) and len(value) >= 8]
        if self._api_key is not None and self._api_key.get_secret_value():
            secrets.append(self._api_key.get_secret_value())
        for secret in sorted(secrets, key=len, reverse=True):
            said = said.replace(secret, "***")
        return " ".join(said.split())[:300]


def _count(value: object) -> int:
    return value if isinstance(value, int) and value >= 0 else 0


def _retry_after(error: Exception) -> float | None:
    """Seconds, from the provider's header: a number of them, or a date."""
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    told = headers.get("retry-after")
    if told is None:
        return None
    with contextlib.suppress(ValueError):
        seconds = float(told)
        return seconds if 0 <= seconds < float("inf") else None
    with contextlib.suppress(ValueError, TypeError):
        # A date: counted from the provider's own clock, or not at all.
        return max(0.0, (parsedate_to_datetime(told) - parsedate_to_datetime(str(headers.get("date")))).total_seconds())
    return None
