"""The conversation that the demonstration plays: the one that is shipped, or one of a file in LoCoMo's format."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

from memorygraph.errors import InvalidInput
from memorygraph.ingest.locomo import Conversation, Question, Turn, parse

__all__ = ["Conversation", "Question", "Turn", "load_file", "shipped"]


def shipped() -> Conversation:
    """The conversation that comes with the package: Nadia and Ruben, 60 turns over three weeks."""
    text = resources.files("memorygraph_api.demo").joinpath("conversation.json").read_text(encoding="utf-8")
    return parse(json.loads(text), where="conversation.json")


def load_file(path: Path, *, number: int = 1) -> Conversation:
    """Conversation ``number`` (from 1) of the file at ``path``.

    Raises :class:`InvalidInput`, which names the place, when there is no such file, when it is not in
    the format, and when it holds fewer conversations.
    """
    content = _decoded(path)
    items = content if isinstance(content, list) else [content]
    if not 1 <= number <= len(items):
        raise InvalidInput(
            f"{path} has no conversation {number}; it holds {len(items)}.", field="conversation", hint="Count from 1."
        )
    try:
        # The others are not looked at: one bad conversation does not spoil a file.
        return parse(items[number - 1], where=f"{path}, conversation {number}")
    except InvalidInput as error:
        raise _refused(error.message) from None


def _decoded(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.", field="file") from None
    except UnicodeDecodeError:
        why = "it is not UTF-8 text"
    except ValueError as error:
        # A number of thousands of digits is a ValueError too, though not a JSONDecodeError.
        why = f"it is not JSON: {error}"
    except RecursionError:
        why = "it is nested too deeply"
    raise _refused(f"{path} is not a conversation in LoCoMo's format: {why}.")


def _refused(message: str) -> InvalidInput:
    return InvalidInput(message, field="file", hint="Leave --file out to see the conversation that is shipped.")
