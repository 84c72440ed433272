"""Whether the write cache is on in fact, whatever the drive says."""

from __future__ import annotations

from collections.abc import Sequence

from server.benchmarks.sync_write.sizes import Size

SMALL_BYTES = 65536
FIRST = 3
"""So many quick answers in a row are no chance: a place that has just gone by does not come back sooner."""
AT_ONCE_TURNS = 0.5
WAITS_TURNS = 0.9
MANY = 0.75
FEW = 0.1

UNKNOWN_TURN = "Neither the drive's rating nor an estimate says how long a turn takes."
TOO_FEW = "No series of small writes is long enough."
ON = "Small writes are answered before the medium can have taken them: the write cache is {agrees}."
OFF = "Small writes wait for the medium, {turns:.2f} turns each: the write cache is {agrees}."
BETWEEN = (
    "Small writes take {turns:.2f} turns and begin quickly in {share:.0%} of the series: neither on nor off."
)


def verdict_of(state: str, sizes: Sequence[Size], turn_ms: float | None) -> tuple[str, str]:
    """`on`, `off` or `unknown`, and the sentence for it."""
    if turn_ms is None:
        return "unknown", UNKNOWN_TURN
    small = [one for one in sizes if one.bytes <= SMALL_BYTES and one.count >= FIRST]
    if not small:
        return "unknown", TOO_FEW
    quick = sum(one.begins_within(AT_ONCE_TURNS * turn_ms, FIRST) for one in small) / len(small)
    turns = sorted(one.median_ms for one in small)[len(small) // 2] / turn_ms
    if quick >= MANY:
        return "on", ON.format(agrees=_agrees("on", state))
    if quick <= FEW and turns >= WAITS_TURNS:
        return "off", OFF.format(turns=turns, agrees=_agrees("off", state))
    return "unknown", BETWEEN.format(turns=turns, share=quick)


def _agrees(found: str, state: str) -> str:
    if state == "unknown":
        return f"{found}; the drive does not say"
    return (
        f"{found}, as the drive says"
        if found == state
        else f"{found} in fact, although the drive says {state}"
    )
