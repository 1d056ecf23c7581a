"""What a language model meant by its reply: one object with one list, whatever it put around it.

The schemas of memorygraph all have this form: an object whose only property is a list. Of the
items, when they are objects, the first required property is the one that makes an item.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from memorygraph.llm.json_in_text import find_json

__all__ = ["CutOffReply", "UnusableReply", "read_reply"]

_THINKING = re.compile(
    r"\s*<(think|thinking|thought|reasoning)>(?:(?P<whole>.*?)</\1>|.*\Z)", re.DOTALL | re.IGNORECASE
)
_THOUGHT_END = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NOT_OF_A_KEY = re.compile(r"[\s\-]+")


class UnusableReply(Exception):
    """Nothing could be made of a reply. ``reason`` says why in words for the model, and quotes nothing of it."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class CutOffReply(UnusableReply):
    """The reply ends in the middle."""


def read_reply(
    text: str | None, *, schema: Mapping[str, Any], synonyms: Mapping[str, str] | None = None, cut_off: bool = False
) -> dict[str, Any]:
    """The object that ``text`` gives for ``schema``: its list, and what else it has. Items are not checked.

    Taken too: JSON in a code fence, after ``<think>…</think>`` or between sentences; the list by
    itself; one item, or several, without the list; a wrapping object. ``synonyms`` are other names
    of keys, in small letters with underscores, and what they stand for. ``cut_off`` tells that the
    provider stopped the model; then only a reply that is complete nevertheless is taken.

    Raises :class:`UnusableReply`, and of it :class:`CutOffReply` when the reply is not complete.
    """
    said = _after_thinking(text or "")
    if not said.strip():
        if cut_off:
            raise CutOffReply("It was cut off before there was an answer.")
        raise UnusableReply("It was empty.")
    found = find_json(said)
    form = _Form(schema, synonyms or {})
    echoes = [value for value in found.values if form.is_schema(value)]
    try:
        answer = form.answer([value for value in found.values if value not in echoes])
    except RecursionError:
        raise UnusableReply("Its JSON was nested too deeply.") from None
    if (found.unfinished and (cut_off or answer is None)) or (cut_off and answer is None):
        raise CutOffReply("It was cut off in the middle.")
    if answer is not None:
        return answer
    if echoes:
        raise UnusableReply("It repeated the schema instead of filling it in.")
    if found.broken is not None:
        raise UnusableReply(f"It was not valid JSON: {found.broken}.")
    if found.values:
        raise UnusableReply(f'It was JSON, but not an object with the list "{form.key}".')
    raise UnusableReply("It contained no JSON.")


def _after_thinking(text: str) -> str:
    """Without the thoughts that some models begin with; empty when there is nothing but an unfinished one."""
    while thought := _THINKING.match(text):
        text = text[thought.end() :]
    # Some chat templates put the opening mark into the prompt, so that only the closing one is seen.
    ends = list(_THOUGHT_END.finditer(text))
    if ends and find_json(text[ends[-1].end() :]).values:
        return text[ends[-1].end() :]
    return text


class _Form:
    """The form of the answer that a schema asks for."""

    def __init__(self, schema: Mapping[str, Any], synonyms: Mapping[str, str]) -> None:
        self.key = next(iter(schema["properties"]))
        items = schema["properties"][self.key]["items"]
        self._essential: str | None = items["required"][0] if items["type"] == "object" else None
        self._synonyms = synonyms

    def answer(self, values: list[Any]) -> dict[str, Any] | None:
        """The last whole answer; else the last list that is not empty; else the items that stand by themselves."""
        renamed = [self._renamed(value) for value in values]
        for value in reversed(renamed):
            if isinstance(value, dict) and (items := self._list_of(value)) is not None:
                return {**value, self.key: items}
        bare = [value for value in renamed if isinstance(value, list) and self._list_of(value) is not None]
        single = [value for value in renamed if self._is_item(value)]
        for items in (*reversed(bare), single):
            if items:
                return {self.key: items}
        return {self.key: []} if bare else None

    def is_schema(self, value: Any) -> bool:
        if not isinstance(value, dict):
            return False
        if isinstance(value.get("properties"), dict) or "$schema" in value:
            return True
        inner = [part for part in value.values() if isinstance(part, dict)]
        return any(isinstance(part.get("items"), dict) or isinstance(part.get("properties"), dict) for part in inner)

    def _list_of(self, value: Any) -> list[Any] | None:
        if isinstance(value, list):
            return value if not value or any(map(self._is_item, value)) else None
        if not isinstance(value, dict):
            return None
        if self.key in value:
            listed = value[self.key]
            if listed is None:
                return []
            if isinstance(listed, list):
                return self._list_of(listed)
            return [listed] if self._is_item(listed) else None
        # {"result": {…}}, {"output": […]}
        inner = next(iter(value.values())) if len(value) == 1 else None
        if self._is_item(inner) and self._essential is not None:
            return [inner]
        return self._list_of(inner)

    def _is_item(self, value: Any) -> bool:
        if self._essential is None:
            return isinstance(value, str | int | float)
        return isinstance(value, dict) and isinstance(value.get(self._essential), str)

    def _renamed(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._renamed(item) for item in value]
        if not isinstance(value, dict):
            return value
        keys = {key: _NOT_OF_A_KEY.sub("_", _HUMP.sub("_", key.strip())).lower() for key in value}
        renamed: dict[str, Any] = {}
        for key, item in value.items():
            # A key of the right name goes before one that only means the same.
            name = self._synonyms.get(keys[key], keys[key])
            if name == keys[key] or (name not in renamed and name not in keys.values()):
                renamed[name] = self._renamed(item)
        return renamed
