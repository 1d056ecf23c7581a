"""What was spent on a language model."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["NOTHING_SPENT", "Cost"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Calls, those that failed included, and tokens as far as the provider tells them."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            calls=self.calls + other.calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
        )


NOTHING_SPENT = Cost()
