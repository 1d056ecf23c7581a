"""Random histories and parameters."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from memorygraph_forgetting import MS_PER_DAY, AccessHistory, DecayParameters

START = 1_700_000_000_000
YEAR = 365 * MS_PER_DAY

importances = st.floats(0.0, 1.0)


@st.composite
def histories(draw: st.DrawFn, *, max_kept: int = 40) -> AccessHistory:
    """Kept times over some span from milliseconds to years, and sometimes older accesses known by count only."""
    span = draw(st.sampled_from([1_000, 60_000, MS_PER_DAY, 30 * MS_PER_DAY, 3 * YEAR]))
    steps = draw(st.lists(st.integers(0, span), min_size=1, max_size=max_kept))
    times = tuple(sorted(START + step for step in steps))
    older = draw(st.one_of(st.just(0), st.integers(1, 1_000_000)))
    first = times[0] - (draw(st.integers(0, 10 * YEAR)) if older else 0)
    return AccessHistory(times=times, count=len(times) + older, first=first)


@st.composite
def parameters(draw: st.DrawFn) -> DecayParameters:
    """Parameters that can stand, of either model."""
    offset = draw(st.floats(0.0, 0.9))
    return replace(
        draw(st.sampled_from([DecayParameters.balanced(), DecayParameters.rehearsed()])),
        decay=draw(st.one_of(st.sampled_from([0.5, 1.0]), st.floats(0.05, 1.0))),
        forgetting_rate=draw(st.floats(1e-6, 100.0)),
        offset=offset,
        threshold=offset + (1.0 - offset) * draw(st.floats(0.01, 0.99)),
        retrieval_threshold=draw(st.floats(-5.0, 5.0)),
        noise=draw(st.floats(0.01, 3.0)),
    )
