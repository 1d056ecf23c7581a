"""Where a continuous function of one variable is zero."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["brent"]

_ITERATIONS = 100


def brent(
    function: Callable[[float], float], low: float, high: float, *, at_low: float, at_high: float, tolerance: float
) -> float:
    """A zero of ``function`` between ``low`` and ``high`` to within ``tolerance`` (Brent 1973, ch. 4).

    ``at_low`` and ``at_high`` are the values there and differ in sign, or one of them is 0; :class:`ValueError` if
    not. Bisection guards inverse quadratic interpolation, so it always ends.
    """
    if at_low * at_high > 0.0:
        raise ValueError("the function has the same sign at both ends")
    a, fa, b, fb = low, at_low, high, at_high
    c, fc = a, fa
    step = previous = b - a
    for _ in range(_ITERATIONS):
        if fb * fc > 0.0:
            c, fc = a, fa
            step = previous = b - a
        if abs(fc) < abs(fb):
            a, fa, b, fb, c, fc = b, fb, c, fc, b, fb
        middle = (c - b) / 2.0
        if abs(middle) <= tolerance or fb == 0.0:
            return b
        if abs(previous) < tolerance or abs(fa) <= abs(fb):
            step = previous = middle
        else:
            s = fb / fa
            if a == c:
                p, q = 2.0 * middle * s, 1.0 - s
            else:
                u, v = fa / fc, fb / fc
                p = s * (2.0 * middle * u * (u - v) - (b - a) * (v - 1.0))
                q = (u - 1.0) * (v - 1.0) * (s - 1.0)
            if p > 0.0:
                q = -q
            else:
                p = -p
            if 2.0 * p < min(3.0 * middle * q - abs(tolerance * q), abs(previous * q)):
                previous, step = step, p / q
            else:
                step = previous = middle
        a, fa = b, fb
        b += step if abs(step) > tolerance else (tolerance if middle > 0.0 else -tolerance)
        fb = function(b)
    return b
