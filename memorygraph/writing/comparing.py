"""The second look at contradictions, by a language model: one question about a statement and those like it.

What the heuristics cannot see in the words, a model may; like them it only opens questions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memorygraph.errors import Conflict
from memorygraph.extraction.judge import judge_contradictions
from memorygraph.graph.store import UserStore
from memorygraph.jobs.running import RunningJob
from memorygraph.llm import ChatModel
from memorygraph.memory.bound import MemoryTools
from memorygraph.writing.changes import Changes
from memorygraph.writing.items import embedded_text
from memorygraph.writing.mutation import Head
from memorygraph.writing.questions import open_questions
from memorygraph.writing.slots import has_expired

__all__ = ["Comparing"]

_ACTOR = "model"


class Comparing:
    """Runs the comparisons of all users."""

    def __init__(self, tools: MemoryTools, model: ChatModel) -> None:
        self._tools = tools
        self._model = model

    async def run(self, job: RunningJob) -> Mapping[str, Any]:
        """The handler: the statement that the job's payload names. Answers how many questions were opened.

        Raises :class:`ModelUnavailable`, :class:`ExtractionFailed` and :class:`StoreUnavailable`, and
        :class:`Conflict` when what was compared was reworded meanwhile.
        """
        end_user_id, statement_id = job.record.end_user_id, job.record.payload["statement_id"]

        async def read(store: UserStore) -> tuple[str | None, dict[str, str]]:
            return await _compared(store, statement_id, now=self._tools.clock.now_ms())

        said, others = await self._tools.driver.read(end_user_id, read)
        judged = await judge_contradictions(self._model, said or "", list(others.items()))
        await job.checkpoint(cost=judged.cost)
        now = self._tools.clock.now_ms()
        parameters = await self._tools.parameters(end_user_id)
        opened = 0

        async def work(store: UserStore, head: Head) -> None:
            nonlocal opened
            opened = 0
            still, live = await _compared(store, statement_id, now=now)
            if still is not None:  # else it was done before, and only the answer was lost, or it was retired meanwhile
                if still != said or any(live[id] != others[id] for id in judged.contradicting if id in live):
                    raise Conflict("A memory was reworded while it was compared.")
                relatives = await store.read_relatives(id=statement_id)
                known = {question["id"] for question in relatives["questions"]} if relatives else set()
                questions = [
                    {"id": statement_id, "other_id": other, "reason": "model", "at": now}
                    for other in judged.contradicting
                    if other in live and other not in known
                ]
                changes = Changes(head=head, now=now, actor=_ACTOR)
                await open_questions(store, changes, questions, parameters)
                await changes.write(store)
                opened = len(questions)
            await store.finish_comparison(id=statement_id)

        await self._tools.mutations.run_for_known(end_user_id, work)
        return {"questions": opened}


async def _compared(store: UserStore, statement_id: str, *, now: int) -> tuple[str | None, dict[str, str]]:
    """What a statement says and who says it, and that of the ones it is compared with, by their ids.

    Only of those that are live at ``now`` (epoch ms).
    """
    row = await store.read_comparison(id=statement_id)
    if row is None or has_expired(row, now=now):
        return None, {}
    others = await store.read_near(ids=row["compare_with"])
    return embedded_text(row["text"], row["speaker"]), {
        other["id"]: embedded_text(other["text"], other["speaker"])
        for other in others
        if not has_expired(other, now=now)
    }
