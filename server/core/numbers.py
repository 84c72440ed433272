"""How numbers are written for people: no more digits than their interval carries, units kept apart."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeGuard

THIN_SPACE = "\N{NARROW NO-BREAK SPACE}"
MINUS = "\N{MINUS SIGN}"
MAX_DIGITS = 7
"""Significant digits beyond which no drive's number means anything."""
NOUGHT = 10.0**-MAX_DIGITS
"""A spread below this share of its number is that of samples which are all the same."""
BARE_DIGITS = 4
"""Significant digits of a number that comes without an interval."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A number as text, with the bounds that belong to it; `unit` is empty for a bare count."""

    value: str
    unit: str = ""
    low: str = ""
    high: str = ""
    exact: str = ""
    """The number in full, for a title."""

    @property
    def interval(self) -> str:
        """The interval as text; empty where there is none."""
        if not self.low:
            return ""
        return self.low if self.low == self.high else f"{self.low} to {self.high}"


def _exponent_of(number: float) -> int:
    """Return the power of ten of the first digit of `number`: 2 for 184, -3 for 0.0042."""
    return math.floor(math.log10(abs(number)))


def decimals_for(value: float, spread: float | None) -> int:
    """Return how many decimals `value` deserves; negative for tens, hundreds and so on.

    The spread (half an interval) is written with one digit, or with two where its first digit is 1 or 2,
    since rounding 0.14 to 0.1 would change it by a third. Without a spread the number keeps four significant
    digits, and so it does with one of nought: that several runs agree to the last digit says that they are
    one and the same, and nothing of the drive's digits.
    """
    cap = MAX_DIGITS - 1 - _exponent_of(value) if value else MAX_DIGITS - 1
    if not _is_spread(spread, value):
        if value == int(value):
            return 0
        return min(BARE_DIGITS - 1 - _exponent_of(value), cap)
    exponent = _exponent_of(spread)
    digits = 2 if spread / 10.0**exponent < 3 else 1
    return min(digits - 1 - exponent, cap)


def _is_spread(spread: float | None, value: float) -> TypeGuard[float]:
    return spread is not None and math.isfinite(spread) and spread > abs(value) * NOUGHT


def write(number: float, decimals: int) -> str:
    """Return `number` with so many decimals, thousands grouped by thin spaces from five digits on."""
    rounded = round(number, decimals)
    text = f"{abs(rounded):.{max(decimals, 0)}f}"
    whole, _, fraction = text.partition(".")
    if len(whole) > 4:
        whole = f"{int(whole):,}".replace(",", THIN_SPACE)
    sign = MINUS if rounded < 0 else ""
    return f"{sign}{whole}.{fraction}" if fraction else f"{sign}{whole}"


def unit_text(unit: str) -> str:
    """Return a unit as it is written after a number; the unit `1` is not written."""
    return "" if unit == "1" else unit


def show(
    value: float | None, unit: str, *, low: float | None = None, high: float | None = None
) -> Shown | None:
    """Return `value` rounded to what [low, high] carries, or None where there is no number."""
    if value is None or not math.isfinite(value):
        return None
    spread = (high - low) / 2 if low is not None and high is not None else None
    decimals = decimals_for(value, spread)
    text = write(value, decimals)
    bounded = _is_spread(spread, value)
    return Shown(
        # Without an interval the digits are a guess, and zeros at the end would claim that it is none.
        value=text if bounded else _without_zeros(text),
        unit=unit_text(unit),
        low="" if low is None or high is None else _bound(low, decimals, bounded=bounded),
        high="" if low is None or high is None else _bound(high, decimals, bounded=bounded),
        exact=f"{value!r} {unit_text(unit)}".strip(),
    )


def _bound(bound: float, decimals: int, *, bounded: bool) -> str:
    text = write(bound, decimals)
    return text if bounded else _without_zeros(text)


def _without_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def show_stated(value: float, unit: str) -> Shown:
    """Return a published number as its document states it, neither rounded nor padded.

    A conversion of units leaves 3.5999999999999996 of 3.6: no document prints more than twelve digits.
    """
    value = float(f"{value:.12g}")
    decimals = max(0, -Decimal(repr(value)).normalize().as_tuple().exponent)  # type: ignore[operator] # finite
    return Shown(write(value, decimals), unit_text(unit), exact=f"{value!r} {unit_text(unit)}".strip())


def show_deviation(value: float) -> str:
    """Return a standard deviation with two significant digits: its own uncertainty carries no more."""
    return write(value, 1 - _exponent_of(value)) if value else "0"


_SIZES = ((10**15, "PB"), (10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB"))


def show_bytes(count: int | None) -> Shown | None:
    """Return a capacity in the decimal units that drives are sold by, with the bytes in full beside it."""
    if count is None:
        return None
    for size, unit in _SIZES:
        if count >= size:
            scaled = count / size
            decimals = max(0, 2 - _exponent_of(scaled))
            return Shown(value=write(scaled, decimals), unit=unit, exact=f"{write(count, 0)} bytes")
    return Shown(value=str(count), unit="bytes", exact=f"{count} bytes")


def show_count(count: int) -> str:
    """Return a count with its thousands grouped."""
    return write(count, 0)


def show_duration(nanoseconds: int | None) -> str:
    """Return a time as a person says it: `2 h 4 min`, `12.3 s`; empty where it is not known."""
    if nanoseconds is None:
        return ""
    seconds = nanoseconds / 1e9
    if seconds >= 3600:
        return f"{int(seconds // 3600)} h {int(seconds % 3600 // 60)} min"
    if seconds >= 60:
        return f"{int(seconds // 60)} min {int(seconds % 60)} s"
    return f"{write(seconds, 1)} s" if seconds >= 1 else f"{write(seconds * 1000, 1)} ms"


# ---- Numbers as the database and JSON can hold them.


def finite(value: float | None) -> float | None:
    """Return the number, or None where it is not finite: a page must never show `nan` as a result."""
    return float(value) if value is not None and math.isfinite(value) else None


def finite_json(value: Any) -> Any:
    """Return `value` as JSON can hold it: tuples become lists, numbers that are not finite null."""
    if isinstance(value, dict):
        return {str(key): finite_json(child) for key, child in value.items()}
    if isinstance(value, list | tuple):
        return [finite_json(child) for child in value]
    if isinstance(value, float):
        return finite(value)
    return value
