"""The demonstration's run: what the engine did, as one record. Nothing is printed here."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from datetime import timedelta
from statistics import median
from typing import TYPE_CHECKING, TypeVar

from memorygraph.text import tokenise
from memorygraph.text.extract import extract_names
from memorygraph.times import from_ms
from memorygraph_api.demo.played import (
    Aged,
    Answered,
    Asked,
    Forgot,
    Found,
    Opened,
    Played,
    Progress,
    Remembered,
    RememberedTurn,
    Retained,
    Reuse,
    Stage,
    Told,
)

if TYPE_CHECKING:
    from memorygraph import MemoryEngine
    from memorygraph.clock import SimulatedClock
    from memorygraph.records import Answer, Lineage, MemoryRecord
    from memorygraph_api.demo.conversation import Conversation, Question, Turn

__all__ = ["QUESTIONS", "Play", "questions_to_ask"]

QUESTIONS = 9
"""Most questions asked."""
FOUND = 3
"""Most memories returned for a question."""
REUSED = 3
"""Every third question is asked again while time passes: what it finds is used, and so stays warm."""
STEPS = 6
"""Time passes in this many equal steps; the re-use happens between them."""
BETWEEN_TURNS = timedelta(seconds=30)
CONTEXT_LIMIT = 500
NAMES_LIMIT = 50

Watch = Callable[[Stage], None]
S = TypeVar("S", bound=Stage)


def questions_to_ask(conversation: Conversation) -> list[Question]:
    """At most :data:`QUESTIONS` of those that have evidence and an answer, evenly spread."""
    fit = [q for q in conversation.questions if q.evidence and q.answer is not None]
    if len(fit) <= QUESTIONS:
        return fit
    return [fit[i * len(fit) // QUESTIONS] for i in range(QUESTIONS)]


class Play:
    """Plays a conversation for one user of an open engine, whose clock is ``clock``."""

    def __init__(self, engine: MemoryEngine, clock: SimulatedClock, conversation: Conversation) -> None:
        self._engine = engine
        self._clock = clock
        self._conversation = conversation
        self._questions = questions_to_ask(conversation)
        self._turn_of: dict[str, str] = {}
        self._id_of: dict[str, str] = {}
        self._lineages: dict[str, Lineage] = {}

    async def run(self, opened: Opened, *, days: int, watch: Watch, started: float) -> Played:
        """Remember, ask, let ``days`` pass, forget, ask again.

        ``watch`` is told of each stage as soon as it is over; ``started`` is the ``time.perf_counter()``
        from which the total time counts. Errors of the engine pass through.
        """
        self._memory = self._engine.memory(opened.end_user_id, actor="demo")
        watch(opened)
        remembered = _tell(watch, await self._remember(watch))
        watch(Progress(doing="asking"))
        before = _tell(watch, await self._ask("before"))
        watch(Progress(doing="letting time pass"))
        aged = _tell(watch, await self._age(days))
        watch(Progress(doing="forgetting"))
        forgot = _tell(watch, await self._forget(opened.end_user_id))
        watch(Progress(doing="asking again"))
        after = _tell(watch, await self._ask("after"))
        told = _tell(watch, await self._conclude(after, aged))
        return Played(
            opened=opened,
            remembered=remembered,
            before=before,
            aged=aged,
            forgot=forgot,
            after=after,
            told=told,
            total_ms=_ms_since(started),
        )

    async def _remember(self, watch: Watch) -> Remembered:
        turns, times = [], []
        began = time.perf_counter()
        for done, turn in enumerate(self._conversation.turns, 1):
            self._clock.move_to(max(turn.said_at, from_ms(self._clock.now_ms())))
            at = time.perf_counter()
            turns.append(await self._remember_turn(turn))
            times.append(_ms_since(at))
            self._clock.advance(BETWEEN_TURNS)
            watch(Progress(doing="remembering", done=done, of=len(self._conversation.turns)))
        return Remembered(turns=tuple(turns), total_ms=_ms_since(began), median_ms=median(times))

    async def _remember_turn(self, turn: Turn) -> RememberedTurn:
        names = dict.fromkeys((turn.speaker, *(name.name for name in extract_names(turn.text))))
        written = await self._memory.remember(
            turn.text,
            kind="turn",
            speaker=turn.speaker,
            session_id=f"session-{turn.session}",
            position=turn.position,
            occurred_at=turn.said_at,
            entities=tuple(names)[:NAMES_LIMIT],
            context=f"Shared a photo: {turn.photo}"[:CONTEXT_LIMIT] if turn.photo else None,
            source=self._conversation.name,
        )
        self._turn_of[written.id] = turn.id
        self._id_of[turn.id] = written.id
        return RememberedTurn(
            turn=turn.id,
            id=written.id,
            outcome=written.outcome,
            speaker=turn.speaker,
            text=turn.text,
            said_at=turn.said_at,
            entities=tuple(entity.name for entity in written.entities),
        )

    async def _ask(self, when: str) -> Asked:
        answers, times = [], []
        for question in self._questions:
            at = time.perf_counter()
            answer = await self._memory.recall(question.text, limit=FOUND, reinforce=False)
            times.append(_ms_since(at))
            answers.append(await self._answered(question, answer))
        return Asked(when=when, answers=tuple(answers), median_ms=median(times) if times else 0.0)

    async def _answered(self, question: Question, answer: Answer) -> Answered:
        return Answered(
            question=question.text,
            expected=question.answer,
            evidence=question.evidence,
            outcome=answer.outcome,
            found=tuple(
                [
                    Found(
                        id=hit.memory.id,
                        type=hit.memory.type,
                        score=hit.score,
                        speaker=hit.memory.speaker,
                        text=hit.memory.text,
                        retention=hit.memory.retention,
                        turns=await self._turns_behind(hit.memory),
                    )
                    for hit in answer.hits
                ]
            ),
        )

    async def _turns_behind(self, memory: MemoryRecord) -> tuple[str, ...]:
        if memory.type != "MemorySummary":
            return (self._turn_of[memory.id],) if memory.id in self._turn_of else ()
        return tuple(self._turn_of[id] for id in _originals(await self._lineage(memory.id)) if id in self._turn_of)

    async def _lineage(self, summary_id: str) -> Lineage:
        if summary_id not in self._lineages:
            self._lineages[summary_id] = await self._memory.lineage(summary_id)
        return self._lineages[summary_id]

    async def _age(self, days: int) -> Aged:
        began = from_ms(self._clock.now_ms())
        reused = []
        for step in range(1, STEPS):
            self._clock.move_to(began + timedelta(days=days) * step / STEPS)
            for question in self._questions[::REUSED]:
                answer = await self._memory.recall(question.text, limit=2)
                reused.append(
                    Reuse(
                        day=days * step // STEPS,
                        at=from_ms(self._clock.now_ms()),
                        question=question.text,
                        ids=tuple(hit.memory.id for hit in answer.hits),
                    )
                )
        self._clock.move_to(began + timedelta(days=days))
        # What the recalls used is written off their path; the records read below are to know of it.
        await self._engine.flush()
        now = from_ms(self._clock.now_ms())
        used = {id for reuse in reused for id in reuse.ids}
        records = [await self._memory.get(id) for id in self._turn_of]
        cold = {record.id for record in records if record.cold_at is not None and record.cold_at <= now}
        evidence = [self._id_of[turn] for question in self._questions for turn in question.evidence]
        return Aged(
            days=days,
            at=now,
            reused=tuple(reused),
            kept=await self._retained(id for id in (*evidence, *used) if id in used and id not in cold),
            fading=await self._retained(id for id in (*evidence, *cold) if id in cold),
            cold=len(cold),
            live=len(records),
        )

    async def _retained(self, ids: Iterable[str]) -> Retained | None:
        for id in ids:
            record = await self._memory.get(id)
            curve = await self._memory.curve(id, end=from_ms(self._clock.now_ms()))
            return Retained(id=id, turn=self._turn_of[id], text=record.text, curve=curve)
        return None

    async def _forget(self, end_user_id: str) -> Forgot:
        began = time.perf_counter()
        cycle = await self._engine.forgetting.run(end_user_id, trigger="manual", actor="demo")
        took = _ms_since(began)
        summaries = [await self._lineage(id) for id in cycle.summaries]
        return Forgot(cycle=cycle, summaries=tuple(summaries), total_ms=took)

    async def _conclude(self, after: Asked, aged: Aged) -> Told:
        used = dict.fromkeys(id for reuse in aged.reused for id in reuse.ids)
        live = [id for id in used if (await self._memory.get(id)).type == "Statement"]
        chain = await self._memory.verify_events()
        best = max(
            ((answer, found) for answer in after.answers if (found := _summary_with_evidence(answer))),
            key=lambda pair: (_told_by(pair[1].text, pair[0].expected), _readable(len(pair[1].turns))),
            default=None,
        )
        return Told(
            answered=best and best[0],
            lineage=best and await self._lineage(best[1].id),
            evidence_ids=tuple(self._id_of[turn] for turn in best[0].evidence if turn in best[1].turns) if best else (),
            still_live=tuple(live),
            chain_ok=chain.ok,
            events=chain.checked,
        )


def _tell(watch: Watch, stage: S) -> S:
    watch(stage)
    return stage


def _ms_since(start: float) -> float:
    return (time.perf_counter() - start) * 1000


def _originals(lineage: Lineage) -> Iterable[str]:
    for original in lineage.originals:
        if original.lineage is None:
            yield original.memory.id
        else:
            yield from _originals(original.lineage)


def _summary_with_evidence(answer: Answered) -> Found | None:
    # Only where no turn of the evidence is left as it was said: then the summary alone can answer.
    verbatim = {turn for found in answer.found if found.type != "MemorySummary" for turn in found.turns}
    if verbatim & set(answer.evidence):
        return None
    return next((f for f in answer.found if f.type == "MemorySummary" and set(f.turns) & set(answer.evidence)), None)


def _told_by(text: str, expected: str | None) -> float:
    words = set(tokenise(expected or ""))
    return len(words & set(tokenise(text))) / len(words) if words else 0.0


def _readable(originals: int) -> tuple[bool, int]:
    # The tree of a summary of two proves little, and that of twenty fills a screen.
    return originals > 2, -originals
