"""Epoch milliseconds inside, ISO 8601 with an offset outside."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from memorygraph.errors import InvalidInput, NaiveTime

__all__ = ["MS_PER_DAY", "from_ms", "to_ms"]

MS_PER_DAY = 86_400_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_FIRST_MS = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // _MILLISECOND
_LAST_MS = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // _MILLISECOND


def to_ms(at: datetime | str, *, field: str) -> int:
    """Epoch milliseconds of an aware datetime or of ISO 8601 text with an offset.

    Raises :class:`NaiveTime` when the zone is missing, and :class:`InvalidInput` for anything that is
    no time and for an instant that in UTC lies outside the years 1 to 9999, which :func:`from_ms`
    could not give back; ``field`` is the argument's name in the message.
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
    if not isinstance(at, datetime):
        raise InvalidInput(f"{field} is not a time but {type(at).__name__}.", field=field)
    if at.tzinfo is None or at.utcoffset() is None:
        raise NaiveTime(
            f"{field} has no time zone: {at.isoformat()}.",
            field=field,
            hint="Add an offset, for example +00:00 for UTC.",
        )
    ms = (at - _EPOCH) // _MILLISECOND
    if not _FIRST_MS <= ms <= _LAST_MS:
        raise InvalidInput(f"{field} lies outside the years 1 to 9999 of UTC: {at.isoformat()}.", field=field)
    return ms


def from_ms(ms: int) -> datetime:
    """The aware UTC datetime of ``ms`` epoch milliseconds, exactly."""
    return _EPOCH + timedelta(milliseconds=ms)
