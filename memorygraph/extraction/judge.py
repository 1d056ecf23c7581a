"""A language model's word on which memories cannot be true at once. It opens questions; people answer them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memorygraph.cost import NOTHING_SPENT, Cost
from memorygraph.extraction.prompts import CONTRADICTION_PROMPT, CONTRADICTION_SCHEMA, claim_and_candidates
from memorygraph.llm import ChatModel

__all__ = ["Judged", "judge_contradictions"]


@dataclass(frozen=True, slots=True)
class Judged:
    """``contradicting`` are ids of the candidates, in their order."""

    contradicting: tuple[str, ...]
    cost: Cost


async def judge_contradictions(model: ChatModel, text: str, candidates: Sequence[tuple[str, str]]) -> Judged:
    """Which of ``candidates``, pairs of id and text, contradict ``text``: one call for all, none for no candidates.

    The model sees numbers in place of the ids; one that no candidate has is ignored. Raises like
    :meth:`~memorygraph.llm.ChatModel.structured`.
    """
    if not candidates:
        return Judged((), NOTHING_SPENT)
    reply = await model.structured(
        CONTRADICTION_PROMPT,
        claim_and_candidates(text, [other for _, other in candidates]),
        CONTRADICTION_SCHEMA,
        name="contradictions",
    )
    named = {str(number).strip().strip("[]") for number in reply.value["contradicting"]}
    return Judged(tuple(id_ for number, (id_, _) in enumerate(candidates, start=1) if str(number) in named), reply.cost)
