"""The access history of two entities that are one, and of the one that is left when they are two again."""

from __future__ import annotations

from collections import Counter

from memorygraph_forgetting import AccessHistory

__all__ = ["joined_history", "parted_history"]


def joined_history(first: AccessHistory, second: AccessHistory, *, limit: int) -> AccessHistory:
    """Every access of both, the newest ``limit`` (at least 1) of them kept one by one.

    Accesses that one of the two knows by their count only lie before its oldest kept one, so that no
    time before that can be kept of the other either.
    """
    complete_from = max((h.times[0] for h in (first, second) if h.older_count), default=None)
    times = sorted(first.times + second.times)
    kept = [at for at in times if complete_from is None or at >= complete_from]
    return AccessHistory(
        times=tuple(kept[-limit:]), count=first.count + second.count, first=min(first.first, second.first)
    )


def parted_history(before: AccessHistory, joined: AccessHistory, now: AccessHistory, *, limit: int) -> AccessHistory:
    """That of the kept entity after a split: ``before`` the merge, and what came to ``joined`` since, as ``now`` tells.

    The newest ``limit`` (at least 1) accesses are kept one by one.
    """
    since = Counter(now.times) - Counter(joined.times)
    count = before.count + max(now.count - joined.count, 0)
    # What came since is no more than what was counted since, as long as nobody wrote the history by hand.
    times = sorted((*before.times, *sorted(since.elements())[: count - before.count]))
    return AccessHistory(times=tuple(times[-limit:]), count=count, first=before.first)
