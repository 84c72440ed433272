"""Results as sentences, with as many digits as their intervals carry."""

from __future__ import annotations

from server.core.numbers import decimals_for, show_deviation, unit_text, write
from server.stats.results import Decision, Interval, Needed, Paired, Unpaired

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


def paired_words(result: Paired, a: str, b: str, unit: str, noun: str = "position") -> str:
    """Say what a paired comparison gives."""
    sizes = count_words(result.n, noun)
    text = _comparison(result.difference, result.decision, (a, b), unit, sizes)
    left_out = len(result.only_a) + len(result.only_b)
    verb = "is" if left_out == 1 else "are"
    return _joined(
        text,
        result.reason,
        f"{count_words(left_out, noun).capitalize()} that only one of them has {verb} left out."
        if left_out and result.n
        else "",
        needed_words(result.needed, unit, noun, paired=True),
    )


def unpaired_words(result: Unpaired, a: str, b: str, unit: str) -> str:
    """Say what a comparison of two groups of units gives."""
    sizes = f"{count_words(result.n_a, 'unit')} of {a}, {count_words(result.n_b, 'unit')} of {b}"
    if result.difference is None and result.decision.differs and result.ranks is not None:
        higher, lower = (a, b) if result.decision is Decision.A_HIGHER else (b, a)
        text = f"{higher} is higher than {lower} by {quantity(abs(result.ranks.shift), unit)} ({sizes})."
    else:
        text = _comparison(result.difference, result.decision, (a, b), unit, sizes)
    return _joined(text, result.reason, needed_words(result.needed, unit, "unit", paired=False))


def _joined(*sentences: str) -> str:
    return " ".join(sentence for sentence in sentences if sentence)


def _comparison(
    difference: Interval | None, decision: Decision, names: tuple[str, str], unit: str, sizes: str
) -> str:
    if decision is Decision.NOT_COMPARABLE:
        return "Not comparable."
    if difference is None:
        return f"Not decided ({sizes})."
    if decision is Decision.UNDECIDED:
        return (
            f"Not decided: {names[0]} less {names[1]} lies {between(difference, unit)} ({sizes}). "
            "That does not show that they are equal."
        )
    if decision is Decision.EQUIVALENT:
        return (
            f"Equal within the margin: {names[0]} less {names[1]} lies {between(difference, unit)} ({sizes})."
        )
    if decision is Decision.B_HIGHER:
        difference, names = difference.mirrored(), (names[1], names[0])
    shown = quantity(difference.value, unit, difference.half_width)
    bounds = between(difference, "")
    return f"{names[0]} is {shown} higher than {names[1]}, {bounds} ({sizes})."


def needed_words(needed: Needed | None, unit: str, noun: str, *, paired: bool) -> str:
    """Say how many units or positions would show the difference; nothing where that is not known."""
    if needed is None:
        return ""
    what = f"If the difference is really {show_deviation(needed.difference)} {unit_text(unit)}".rstrip()
    if needed.per_group is None:
        return f"{what}, more than 10,000 {noun}s would be needed to show it."
    each = "in all" if paired else "of each"
    return f"{what}, {count_words(needed.per_group, noun)} {each} would show it in four of five tries."
