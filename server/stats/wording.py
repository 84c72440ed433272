"""Results as sentences, with as many digits as their intervals carry."""

from __future__ import annotations

from server.core.numbers import decimals_for, show_deviation, unit_text, write
from server.stats.results import Interval, Needed

_SMALL = (
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)


def count_words(count: int, noun: str, plural: str = "") -> str:
    """Return `nine positions`: numbers up to twelve as words."""
    number = _SMALL[count] if count < len(_SMALL) else str(count)
    return f"{number} {noun if count == 1 else plural or noun + 's'}"


def level_text(level: float) -> str:
    """Return `90 %`."""
    return f"{100 * level:g} %"


def quantity(value: float, unit: str, spread: float | None = None) -> str:
    """Return a number with its unit, rounded to what half an interval carries."""
    return f"{write(value, decimals_for(value, spread))} {unit_text(unit)}".strip()


def between(interval: Interval, unit: str) -> str:
    """Return `between 5.8 and 6.8 MB/s at 90 %`."""
    decimals = decimals_for(interval.value, interval.half_width)
    low, high = (write(bound, decimals) for bound in (interval.low, interval.high))
    return f"between {low} and {f'{high} {unit_text(unit)}'.strip()} at {level_text(interval.level)}"


def needed_words(needed: Needed | None, unit: str, noun: str, *, paired: bool) -> str:
    """Say how many units or positions would show the difference; nothing where that is not known."""
    if needed is None:
        return ""
    what = f"If the difference is really {show_deviation(needed.difference)} {unit_text(unit)}".rstrip()
    if needed.per_group is None:
        return f"{what}, more than 10,000 {noun}s would be needed to show it."
    each = "in all" if paired else "of each"
    return f"{what}, {count_words(needed.per_group, noun)} {each} would show it in four of five tries."
