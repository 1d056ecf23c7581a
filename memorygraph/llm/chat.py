"""A language model that is asked for structured answers, and asked once more when it gives another one."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from typing import Any

from pydantic import SecretStr

from memorygraph.cost import NOTHING_SPENT, Cost
from memorygraph.errors import ConfigurationError, ExtractionFailed, ModelError, ModelUnavailable, ReplyTruncated
from memorygraph.llm.provider import CallFailed, Completion, Provider, Refusal
from memorygraph.llm.replies import CutOffReply, UnusableReply, read_reply
from memorygraph.settings import Settings

__all__ = ["CALLS_AT_ONCE", "ChatModel", "Reply", "load_chat_model"]

CALLS_AT_ONCE = 4  # of the whole process
# What a provider asks for may be waited out here; anything longer is for whoever can do something else meanwhile.
_WAIT_AT_MOST = 2.0
_WAIT_UNTOLD = 0.2
_TRIES = 2
# Of a reply that could not be read, as much is shown to the model again.
_SHOWN_AT_MOST = 4_000
# Tokens of the prompts around the text: instructions, the schema in words, the request to repair.
_PROMPT_TOKENS = 1_200
# Few enough for scripts in which a token is little more than one character.
_CHARACTERS_PER_TOKEN = 2


@dataclass(frozen=True, slots=True)
class Reply:
    """``value`` has the form of the schema, down to its list; ``cost`` is of all calls it took."""

    value: dict[str, Any]
    cost: Cost


class _Form(IntEnum):
    """How the form of the answer is asked for. Not every provider takes every one."""

    JSON_SCHEMA = 0
    JSON_OBJECT = 1
    WORDS = 2


class ChatModel:
    """A language model in litellm's notation (``provider/name``).

    ``timeout`` is in seconds for each call. Nothing is sent before the first question. May be used
    from several tasks and event loops at once; calls beyond :data:`CALLS_AT_ONCE` wait.
    """

    def __init__(
        self,
        model: str,
        *,
        api_base: str | None = None,
        api_key: SecretStr | None = None,
        timeout: float = 60,
        max_output_tokens: int = 2048,
        context_tokens: int = 8192,
    ) -> None:
        self.name = model
        self.max_output_tokens = max_output_tokens
        self._context_tokens = context_tokens
        self._provider = Provider(
            model, api_base=api_base, api_key=api_key, timeout=timeout, max_output_tokens=max_output_tokens
        )
        # What the provider was seen to take; both only ever move on.
        self._form = _Form.JSON_SCHEMA
        self._temperature: float | None = 0.0

    @property
    def input_characters(self) -> int:
        """How much text fits into one question beside the instructions and the answer."""
        tokens = self._context_tokens - self.max_output_tokens - _PROMPT_TOKENS
        return max(tokens, 0) * _CHARACTERS_PER_TOKEN

    async def structured(
        self,
        system: str,
        user: str,
        schema: Mapping[str, Any],
        *,
        name: str,
        synonyms: Mapping[str, str] | None = None,
    ) -> Reply:
        """The model's answer to ``user`` in the form of ``schema``, an object whose one property is a list.

        ``name`` is what the schema is called; ``synonyms`` are other names for its keys. A reply
        that cannot be read is shown to the model once, with what was wrong. Raises
        :class:`ExtractionFailed` when that does not help, of it :class:`ReplyTruncated` when
        question or answer were too long; :class:`ModelUnavailable`; :class:`ModelMisconfigured`.
        Each has the cost.
        """
        question = _Question(system, user, schema, name)
        spent = NOTHING_SPENT
        reason = ""
        try:
            for _ in range(2):
                completion, cost = await self._ask(question)
                spent += cost
                try:
                    value = read_reply(completion.text, schema=schema, synonyms=synonyms, cut_off=completion.cut_off)
                except CutOffReply as unfinished:
                    raise ReplyTruncated(f"The answer of {self.name} is not complete. {unfinished.reason}") from None
                except UnusableReply as unusable:
                    reason = unusable.reason
                    question = question.repaired(completion.text or "", reason)
                else:
                    return Reply(value, spent)
            raise ExtractionFailed(f"The answer of {self.name} could not be read, even the second time. {reason}")
        except ModelError as error:
            error.cost += spent
            raise

    async def _ask(self, question: _Question) -> tuple[Completion, Cost]:
        """The reply, in whichever form of the question the provider takes, and the cost of all tries."""
        loop = asyncio.get_running_loop()
        spent = NOTHING_SPENT
        form, temperature, tries = self._form, self._temperature, 1
        while True:
            try:
                # litellm's synchronous door, in a thread, as for embeddings: its asynchronous clients belong to the
                # event loop that made them.
                completion = await loop.run_in_executor(_threads(), self._call, question, form, temperature)
            except CallFailed as failed:
                error = failed.error
                if failed.refusal is Refusal.TEMPERATURE and temperature is not None:
                    temperature = None
                elif failed.refusal in (Refusal.TEMPERATURE, Refusal.RESPONSE_FORMAT) and form < _Form.WORDS:
                    form = _Form(form + 1)
                elif failed.refusal is Refusal.BUSY and tries < _TRIES and (wait := _wait_for(error)) is not None:
                    tries += 1
                    await asyncio.sleep(wait)
                else:
                    error.cost += spent
                    raise error from None
                spent += error.cost
            else:
                self._form = max(self._form, form)
                self._temperature = temperature
                return completion, spent + completion.cost

    def _call(self, question: _Question, form: _Form, temperature: float | None) -> Completion:
        return self._provider.complete(
            question.messages(form), response_format=question.response_format(form), temperature=temperature
        )


@dataclass(frozen=True, slots=True)
class _Question:
    system: str
    user: str
    schema: Mapping[str, Any]
    name: str
    said: str = ""  # a reply that could not be read
    wrong: str = ""  # and why

    def repaired(self, said: str, wrong: str) -> _Question:
        return _Question(self.system, self.user, self.schema, self.name, said[:_SHOWN_AT_MOST], wrong)

    def messages(self, form: _Form) -> list[dict[str, str]]:
        in_words = f"Answer with JSON only, in the form of this JSON schema:\n{json.dumps(self.schema)}"
        system = self.system if form is _Form.JSON_SCHEMA else f"{self.system}\n\n{in_words}"
        messages = [{"role": "system", "content": system}, {"role": "user", "content": self.user}]
        if not self.wrong:
            return messages
        repair = f"Your answer could not be used. {self.wrong} {in_words}"
        if self.said.strip():
            return [*messages, {"role": "assistant", "content": self.said}, {"role": "user", "content": repair}]
        # Providers take neither an empty answer nor two questions in a row.
        return [messages[0], {"role": "user", "content": f"{self.user}\n\n{repair}"}]

    def response_format(self, form: _Form) -> dict[str, Any] | None:
        match form:
            case _Form.JSON_SCHEMA:
                schema = {"name": self.name, "schema": dict(self.schema), "strict": True}
                return {"type": "json_schema", "json_schema": schema}
            case _Form.JSON_OBJECT:
                return {"type": "json_object"}
            case _Form.WORDS:
                return None


def load_chat_model(settings: Settings) -> ChatModel | None:
    """The model that is configured, None when none is; it is not asked anything yet.

    Raises :class:`ConfigurationError` when an answer leaves no room for a text.
    """
    if settings.llm_model is None:
        return None
    model = ChatModel(
        settings.llm_model,
        api_base=settings.llm_api_base,
        api_key=settings.llm_api_key,
        timeout=settings.llm_timeout_seconds,
        max_output_tokens=settings.llm_max_output_tokens,
        context_tokens=settings.llm_context_tokens,
    )
    if model.input_characters < _CHARACTERS_PER_TOKEN * 500:
        raise ConfigurationError(
            f"An answer of {settings.llm_max_output_tokens} tokens leaves no room for a text "
            f"within {settings.llm_context_tokens}.",
            hint="Lower llm_max_output_tokens, or raise llm_context_tokens if the model allows it.",
        )
    return model


def _wait_for(error: ModelError) -> float | None:
    """Seconds until the same request is worth another try, None when that is too long to wait."""
    if not isinstance(error, ModelUnavailable):
        return None
    if error.retry_after is None:
        return _WAIT_UNTOLD * random.uniform(0.5, 1.5)
    return error.retry_after if error.retry_after <= _WAIT_AT_MOST else None


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=CALLS_AT_ONCE, thread_name_prefix="memorygraph-language-model")
