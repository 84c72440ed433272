"""The metrics of SEEKER, as the metric registry shows them."""

from __future__ import annotations

from server.benchmarks.contract import Direction, Metric

MINIMUM = Metric(
    key="seeker.minimum",
    title="Minimum seek",
    unit="ms",
    direction=Direction.LOWER,
    definition="Shortest time of a seek over the distances measured, rotational wait excluded.",
    method=(
        "Per distance the low end of the sawtooth over two turns of offsets, half an offset subtracted; "
        "then the least. "
        "`without_mtm` subtracts the baseline, which over-corrects slightly since overhead and seek overlap."
    ),
    source="Skippy 4.3 and Table 3",
    headline=True,
)
AVERAGE = Metric(
    key="seeker.average",
    title="Average seek",
    unit="ms",
    direction=Direction.LOWER,
    definition="Mean seek time between two places chosen at random, rotational wait excluded.",
    method=(
        "Mean latency of many random pairs less half a turn; otherwise the seek curve weighted with the "
        "distances of random pairs. The interval holds both where both were measured."
    ),
    source="Skippy 4.3; the weighting is this project's own",
    headline=True,
)
FULL_STROKE = Metric(
    key="seeker.full_stroke",
    title="Full-stroke seek",
    unit="ms",
    direction=Direction.LOWER,
    definition="Time of a seek from the start of the device to its end, rotational wait excluded.",
    method="The longest distance measured, carried to the end along the line of the longest ones.",
    source="Skippy 4.3 and Table 3",
    headline=True,
)
BASELINE = Metric(
    key="seeker.baseline",
    title="Baseline without seek",
    unit="ms",
    direction=Direction.LOWER,
    definition="Shortest latency with no seek in it: the minimum time to media as SEEKER sees it.",
    method="Low end of the sawtooth of accesses within the neighbourhood of one track.",
    source="Skippy 4.3",
)

METRICS = (MINIMUM, AVERAGE, FULL_STROKE, BASELINE)
