"""Telling whether somebody only handed back what recall had answered."""

from __future__ import annotations

from collections.abc import Sequence

from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.ingest.echoes import is_echo, strip_recalled
from memorygraph.ingest.episodes import KeptEpisode
from memorygraph.memory.bound import MemoryTools
from memorygraph.text.normalise import normalise_value
from memorygraph.text.tokens import query_tokens

__all__ = ["Echoes"]

_LONGEST = 50_000  # characters; nobody pastes a longer list, and a book is none
_LONGEST_JSON = 2_000_000
_LOOKED_AT = 20  # memories for a text, and so many more for each of its parts: it may repeat several
_PER_PART = 4
_MOST_LOOKED_AT = 4000
_OWN_WORDS = ("user", "human")


class Echoes:
    """Compares what is ingested with what one user's memory would answer to it."""

    def __init__(self, tools: MemoryTools, end_user_id: str) -> None:
        self._tools = tools
        self._end_user_id = end_user_id

    async def among(self, episodes: Sequence[KeptEpisode]) -> set[str]:
        """Ids of the episodes that say nothing but what is remembered already, as an answer of recall says it.

        A person who says again, in so many words, what is remembered says it for himself.
        """
        rests = {episode.id: strip_recalled(episode.text)[0] for episode in episodes}
        known = await self._known({id: rest for id, rest in rests.items() if _may_be_an_answer(rest)})
        echoed = set()
        for episode in episodes:
            rest = rests[episode.id]
            if not rest.strip():
                echoed.add(episode.id)
            elif is_echo(rest, texts := known.get(episode.id, ())):
                again = normalise_value(rest) in map(normalise_value, texts)
                if not again or episode.is_document or episode.role not in (None, *_OWN_WORDS):
                    echoed.add(episode.id)
        return echoed

    async def _known(self, texts: dict[str, str]) -> dict[str, list[str]]:
        """What is remembered in words like those of ``texts``, by their keys."""
        found = await self._tools.neighbours.sharing_words(
            self._end_user_id,
            [(query_tokens(text), _looked_at(text)) for text in texts.values()],
            now=self._tools.clock.now_ms(),
        )
        ids = list(dict.fromkeys(id for of in found for id in of))

        async def work(store: UserStore) -> list[Row]:
            return await store.read_near(ids=ids)

        rows = await self._tools.driver.read(self._end_user_id, work) if ids else []
        text_of = {row["id"]: row["text"] for row in rows}
        return {key: [text_of[id] for id in of if id in text_of] for key, of in zip(texts, found, strict=True)}


def _may_be_an_answer(text: str) -> bool:
    return len(text) <= (_LONGEST_JSON if _is_json(text) else _LONGEST)


def _looked_at(text: str) -> int:
    parts = text.count('"') // 2 if _is_json(text) else text.count("\n") + 1
    return min(_LOOKED_AT + _PER_PART * parts, _MOST_LOOKED_AT)


def _is_json(text: str) -> bool:
    return text.lstrip("`~json \r\n").startswith(("{", "["))
