"""The cold time against the root of the equations themselves, in arithmetic of fifty digits."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import mpmath
import pytest
from mpmath import findroot, mpf

from memorygraph_forgetting import MS_PER_DAY, AccessHistory, DecayParameters, cold_at
from tests.unit.forgetting.strategies import START

CASES = 200
FLOOR, HORIZON = mpf("1e-4"), 200 * mpf("365.25")
MILLISECONDS = 2  # how near: the unit of instants, rounded up, and one for the rounding of doubles

Real = Any  # of fifty digits
mp: Any = mpmath.mp  # which ships no types


def random_case(seed: int) -> tuple[AccessHistory, DecayParameters, float]:
    """1 to 32 kept accesses over minutes to years, in half of the cases up to 968 older ones, of either model."""
    draw = random.Random(seed)
    span = 10 ** draw.uniform(-2, 3)
    times = sorted(START + round(draw.random() * span * MS_PER_DAY) for _ in range(draw.randint(1, 32)))
    older = draw.choice([0, draw.randint(1, 968)])
    first = times[0] - (round(draw.random() * 3 * span * MS_PER_DAY) if older else 0)
    offset = draw.uniform(0.0, 0.3)
    parameters = replace(
        draw.choice([DecayParameters.balanced(), DecayParameters.rehearsed()]),
        decay=draw.choice([0.5, 1.0, draw.uniform(0.3, 1.0)]),
        forgetting_rate=10 ** draw.uniform(-3, 0),
        offset=offset,
        threshold=draw.uniform(offset + 0.05, 0.9),
        retrieval_threshold=draw.uniform(-2.0, 1.0),
        noise=draw.uniform(0.1, 1.0),
    )
    history = AccessHistory(times=tuple(times), count=len(times) + older, first=first)
    return history, parameters, draw.uniform(0.05, 1.0)


def warmth(history: AccessHistory, parameters: DecayParameters, importance: float, days: Real) -> Real:
    """How far retention is above the threshold ``days`` after the last access, as a difference of logarithms."""

    def age(at: int) -> Real:
        return max(FLOOR, days + mpf(history.last - at) / MS_PER_DAY)

    d, offset = mpf(parameters.decay), mpf(parameters.offset)
    total = mp.fsum(age(at) ** -d for at in history.times)
    if history.older_count:
        young, old = age(history.times[0]), age(history.first)
        if old == young:
            mean = young**-d
        elif d == 1:
            mean = mp.log(old / young) / (old - young)
        else:
            mean = (old ** (1 - d) - young ** (1 - d)) / ((1 - d) * (old - young))
        total += history.older_count * mean
    share = (mpf(parameters.threshold) - offset) / (1 - offset)
    if parameters.model == "actr":
        activation = mp.log(2 * mpf(importance) * total)
        return (activation - mpf(parameters.retrieval_threshold)) / mpf(parameters.noise) - mp.log(share / (1 - share))
    exponent = mpf(parameters.forgetting_rate) * age(history.last) / (mpf(importance) * total)
    return mp.log(-mp.log(share)) - mp.log(exponent)


def root(history: AccessHistory, parameters: DecayParameters, importance: float) -> Real:
    """Days from the last access to the cold time; 0 when it is cold at once, None when that is beyond 200 years."""

    def of_logarithm(x: Real) -> Real:
        return warmth(history, parameters, importance, mp.exp(x))

    if warmth(history, parameters, importance, mpf(0)) <= 0:
        return mpf(0)
    if warmth(history, parameters, importance, HORIZON) > 0:
        return None
    near = findroot(of_logarithm, (mp.log(FLOOR), mp.log(HORIZON)), solver="pegasus", tol=mpf("1e-30"), maxsteps=100)
    return mp.exp(findroot(of_logarithm, near, tol=mpf("1e-100")))


@pytest.mark.parametrize("block", range(4))
def test_the_cold_time_agrees_with_a_root_of_fifty_digits(block: int) -> None:
    crossings = 0
    with mp.workdps(70):  # for 50 that are right
        for seed in range(block, CASES, 4):
            history, parameters, importance = random_case(seed)
            expected = root(history, parameters, importance)
            found = cold_at(history, parameters, importance=importance)
            if expected is None:
                assert found is None, seed
                continue
            assert found is not None, seed
            assert abs(found - history.last - expected * MS_PER_DAY) <= MILLISECONDS, seed
            crossings += expected > 0
    assert crossings >= CASES // 4 // 2
