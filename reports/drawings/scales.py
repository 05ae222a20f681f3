"""From numbers to positions: linear and logarithmic scales, and one that is linear near 0 and logarithmic beyond."""

import math
from dataclasses import dataclass

_MOST_TICKS = 6
_STEPS = (1, 2, 2.5, 5, 10)


@dataclass(frozen=True, slots=True)
class _Ends:
    """The ends of a scale.

    Attributes
    ----------
    low, high : float
        The numbers at its ends.
    start, end : float
        The positions of its ends.
    """

    low: float
    high: float
    start: float
    end: float


class LinearScale(_Ends):
    """A scale on which equal differences have equal lengths."""

    def __call__(self, value: float) -> float:
        """Return the position of a number."""
        share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self, most: int = _MOST_TICKS) -> list[float]:
        """Return round numbers on the scale, no more than `most`."""
        span = self.high - self.low
        size = 10.0 ** math.floor(math.log10(span / most))
        step = next(size * factor for factor in (*_STEPS, 20, 25, 50) if span / (size * factor) <= most - 1)
        return [k * step for k in range(math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9) + 1)]


class LogScale(_Ends):
    """A scale on which equal ratios have equal lengths."""

    def __call__(self, value: float) -> float:
        """Return the position of a number."""
        low = math.log10(self.low)
        share = (math.log10(value) - low) / (math.log10(self.high) - low)
        return self.start + share * (self.end - self.start)

    def decades(self, unit: float = 1.0, most: int = _MOST_TICKS) -> list[int]:
        """Return exponents k with unit 10^k on the scale, no more than `most`, evenly spaced and with 0 if it is."""
        offset = math.log10(unit)
        first = math.ceil(math.log10(self.low) - offset - 1e-9)
        last = math.floor(math.log10(self.high) - offset + 1e-9)
        step = max(1, math.ceil((last - first + 1) / most))
        return [k for k in range(first, last + 1) if k % step == 0]


class SignedLogScale(_Ends):
    """A scale of numbers of either sign, linear up to a modulus of 1 and logarithmic beyond, without a kink."""

    def __call__(self, value: float) -> float:
        """Return the position of a number."""
        low, high = math.asinh(2 * self.low), math.asinh(2 * self.high)
        return self.start + (math.asinh(2 * value) - low) / (high - low) * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Return 0, 1 and powers of ten of either sign on the scale."""
        top = max(abs(self.low), abs(self.high))
        step = max(1, math.ceil(math.log10(max(top, 10.0)) / 3))
        powers = [10.0**k for k in range(step, 309, step) if 10.0**k <= top]
        return [t for t in (*(-p for p in reversed(powers)), -1.0, 0.0, 1.0, *powers) if self.low <= t <= self.high]


Scale = LinearScale | LogScale | SignedLogScale


def count_ticks(scale: Scale, most: int = _MOST_TICKS) -> list[float]:
    """Return the ticks of an axis of counts: powers of ten, no more than `most`, or whole numbers on a linear scale."""
    if isinstance(scale, LogScale):
        return [10.0**k for k in scale.decades(most=most)]
    return [tick for tick in scale.ticks() if tick == round(tick)]


def attribute_of(scale: Scale) -> str:
    """Return the scale as an attribute, from which a script finds positions."""
    kind = {LinearScale: "linear", LogScale: "log", SignedLogScale: "signed"}[type(scale)]
    return f' data-scale="{kind} {scale.low!r} {scale.high!r} {scale.start!r} {scale.end!r}"'
