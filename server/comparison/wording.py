"""What a comparison gives, as sentences. Groups go by their letters, A being the first."""

from __future__ import annotations

from collections.abc import Sequence

from server.comparison.curves import Curves
from server.comparison.matrix import Pair, Row
from server.comparison.practical import percent_text
from server.core.numbers import show_deviation
from server.measurements.group_keys import LETTERS
from server.stats.results import Interval
from server.stats.wording import between, count_words, level_text, needed_words, quantity


def letters(positions: Sequence[int]) -> str:
    """Return `A`, `A and C` or `A, C and D`."""
    names = [LETTERS[place] for place in positions]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def row_words(row: Row, *, level: float, noun: str, tests: int) -> str:
    """Say what one number shows of all groups."""
    unit = row.entry.unit if row.entry else ""
    if not row.pairs:
        return "Only one group has this number." if sum(cell.n > 0 for cell in row.cells) == 1 else ""
    if len(row.pairs) == 1:
        return pair_words(row.pairs[0], unit=unit, level=level, noun=noun, tests=tests)
    if row.decided:
        return _order_words(row)
    if all(pair.equal for pair in row.pairs):
        return "All are practically equal."
    if all(pair.p is None for pair in row.pairs):
        return row.pairs[0].reason
    return (
        f"No difference is shown, which does not mean that there is none. {_nearest(row, unit, noun)}".strip()
    )


def pair_words(pair: Pair, *, unit: str, level: float, noun: str, tests: int) -> str:
    """Say what one number shows of two groups."""
    names = (LETTERS[pair.a], LETTERS[pair.b])
    if pair.p is None:
        return pair.reason
    if pair.difference is None:
        return f"Not decided. {pair.reason}".strip()
    if pair.difference.low == pair.difference.high == 0:
        return f"All {noun}s of both have the same value."
    if pair.equal:
        return _equal(pair, names)
    if pair.higher is not None:
        return f"{_higher(pair, names, unit)}{_effect(pair)}."
    bounds = f"{names[0]} less {names[1]} lies {between(pair.difference, unit)}"
    if not pair.difference.low <= 0 <= pair.difference.high:
        at_once = count_words(tests, "comparison")
        return (
            f"Not shown: {bounds} by itself, but with {at_once} made at once that may be chance "
            f"(corrected p {show_deviation(pair.adjusted_p or 0.0)})."
        )
    words = f"No difference is shown: {bounds}. {needed_words(pair.needed, unit, noun, paired=False)}"
    return words.strip()


def _higher(pair: Pair, names: tuple[str, str], unit: str) -> str:
    difference: Interval = pair.difference  # type: ignore[assignment] # who is higher has a difference
    if pair.higher == pair.b:
        difference, names = difference.mirrored(), (names[1], names[0])
    shown = quantity(difference.value, unit, difference.half_width)
    within = ", measured on the same units" if pair.method == "paired" else ""
    if pair.percent:
        share = percent_text(pair.percent)
        return f"{names[0]} is {share} higher than {names[1]}: {shown}, {between(difference, '')}{within}"
    return f"{names[0]} is {shown} higher than {names[1]}, {between(difference, '')}{within}"


def _equal(pair: Pair, names: tuple[str, str]) -> str:
    if not pair.percent:
        return "Practically equal."
    higher = names[0] if pair.percent > 0 else names[1]
    return f"Practically equal: {higher} is {percent_text(pair.percent)} higher."


def _effect(pair: Pair) -> str:
    if pair.effect is None:
        return ""
    return f"; {show_deviation(abs(pair.effect))} standard deviations (Hedges' g)"


def _order_words(row: Row) -> str:
    """Say of each group which others it is above."""
    above: dict[int, list[int]] = {}
    for pair in row.decided:
        if pair.higher is not None:
            above.setdefault(pair.higher, []).append(pair.b if pair.higher == pair.a else pair.a)
    parts = [
        f"{LETTERS[place]} is higher than {letters(sorted(lower))}" for place, lower in sorted(above.items())
    ]
    return f"{'; '.join(parts)}.{_others_words(row)}"


def _others_words(row: Row) -> str:
    """Say of the pairs that are not decided whether anything was tested at all."""
    undecided = len(row.pairs) - len(row.decided)
    equal = sum(pair.equal for pair in row.pairs)
    if equal and equal == undecided:
        return " The others are practically equal."
    untested = sum(pair.p is None for pair in row.pairs)
    if not undecided:
        return ""
    if untested == undecided:
        return " The other pairs can't be tested."
    return " Between the others no difference is shown" + (", or none can be tested." if untested else ".")


def _nearest(row: Row, unit: str, noun: str) -> str:
    """Say what would decide the pair that is nearest to it."""
    open_pairs = [pair for pair in row.pairs if pair.needed and pair.needed.per_group]
    if not open_pairs:
        return ""
    pair = min(open_pairs, key=lambda pair: (pair.needed.per_group, pair.a, pair.b))  # type: ignore[union-attr] # filtered above
    words = needed_words(pair.needed, unit, noun, paired=False)
    return f"{LETTERS[pair.a]} and {LETTERS[pair.b]}: {words[0].lower()}{words[1:]}"


def curves_words(curves: Curves) -> str:
    """Say what the curves of two groups' units show."""
    unit = curves.entry.unit if curves.entry else ""
    positions = count_words(curves.by_position.n, "position")
    if curves.units.difference is not None:
        return _of_units_words(curves, curves.units.difference, unit, positions)
    if curves.by_position.difference is None:
        return curves.by_position.reason
    return f"{_of_positions_words(curves.by_position.difference, unit, positions)} {curves.units.reason}"


def _of_positions_words(difference: Interval, unit: str, positions: str) -> str:
    """Say how far two curves lie apart, whatever other units' do."""
    if difference.low <= 0 <= difference.high:
        bounds = between(difference, unit)
        return f"These curves cross or meet: A less B lies {bounds} on average over {positions}."
    names = ("A", "B") if difference.value > 0 else ("B", "A")
    shown = difference if difference.value > 0 else difference.mirrored()
    value = quantity(shown.value, unit, shown.half_width)
    words = f"The curve of {names[0]} is {value} higher than that of {names[1]} on average over {positions}"
    return f"{words}, {between(shown, '')}."


def _of_units_words(curves: Curves, difference: Interval, unit: str, positions: str) -> str:
    bounds = f"A less B lies {between(difference, unit)} on average over {positions}"
    if curves.higher is None:
        if difference.low <= 0 <= difference.high:
            return f"No difference is shown: {bounds}."
        return f"Not shown: {bounds} by itself, but with all curves compared at once that may be chance."
    shown, names = (difference, "AB") if curves.higher == 0 else (difference.mirrored(), "BA")
    value = quantity(shown.value, unit, shown.half_width)
    words = f"The units of {names[0]} are {value} higher than those of {names[1]} on average over {positions}"
    return f"{words}, {between(shown, '')}."


def level_words(level: float, tests: int) -> str:
    """Say what a mark means."""
    return (
        f"Marked where a difference is shown at {level_text(level)}, all "
        f"{count_words(tests, 'comparison')} of this table counted (Holm)."
    )
