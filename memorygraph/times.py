"""Epoch milliseconds inside, ISO 8601 with an offset outside."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from memorygraph.errors import InvalidInput, NaiveTime

__all__ = ["MS_PER_DAY", "from_ms", "to_ms"]

MS_PER_DAY = 86_400_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def to_ms(at: datetime | str, *, field: str) -> int:
    """Epoch milliseconds of an aware datetime or of ISO 8601 text with an offset.

    Raises :class:`NaiveTime` when the zone is missing and :class:`InvalidInput` when the text is
    no time at all; ``field`` is the argument's name in the message.
    """
    if isinstance(at, str):
        text = at
        try:
            at = datetime.fromisoformat(text)
        except ValueError:
            raise InvalidInput(
                f"{field} is not a time: {text[:60]!r}.",
                field=field,
                hint="Write ISO 8601 with an offset, for example 2026-03-01T09:30:00+01:00.",
            ) from None
    if at.tzinfo is None or at.utcoffset() is None:
        raise NaiveTime(
            f"{field} has no time zone: {at.isoformat()}.",
            field=field,
            hint="Add an offset, for example +00:00 for UTC.",
        )
    return (at - _EPOCH) // _MILLISECOND


def from_ms(ms: int) -> datetime:
    """The aware UTC datetime of ``ms`` epoch milliseconds, exactly."""
    return _EPOCH + timedelta(milliseconds=ms)
