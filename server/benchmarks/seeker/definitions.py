"""The metrics of SEEKER, as the metric registry shows them."""

from __future__ import annotations

from server.benchmarks.contract import Direction, ListColumn, Measurand, Measures, Metric

MINIMUM = Metric(
    key="seeker.minimum",
    title="Minimum seek",
    unit="ms",
    direction=Direction.LOWER,
    definition="Shortest time of a seek over the distances measured, rotational wait excluded.",
    method=(
        "Per distance the seek ends between the shortest latency and the latest angle that was missed; the "
        "root through these intervals over the shortest distances, both ways, at the first of them. "
        "`without_mtm` subtracts the baseline, which over-corrects slightly since overhead and seek overlap."
    ),
    source="Skippy 4.3 and Table 3",
    headline=True,
    measures=(Measures(Measurand.SHORTEST_SEEK, "without_mtm"),),
    columns=(ListColumn("seek-minimum", "Shortest seek", 110, "without_mtm"),),
)
AVERAGE = Metric(
    key="seeker.average",
    title="Average seek",
    unit="ms",
    direction=Direction.LOWER,
    definition="Mean seek time between two places chosen at random, rotational wait excluded.",
    method=(
        "The seek curve over random pairs, with tracks that shorten as the waits of random pairs show: each "
        "waits between nothing and a turn. Where both contradict, halfway to the pairs' mean latency less "
        "half a turn."
    ),
    source="Skippy 4.3; the weighting is this project's own",
    headline=True,
    measures=(Measures(Measurand.AVERAGE_SEEK, "with_mtm"),),
    columns=(ListColumn("seek", "Average seek", 100, "without_mtm", shown=True),),
)
FULL_STROKE = Metric(
    key="seeker.full_stroke",
    title="Full-stroke seek",
    unit="ms",
    direction=Direction.LOWER,
    definition="Time of a seek from the start of the device to its end, rotational wait excluded.",
    method=(
        "The longest distance measured and, where that ends before 99.5 % of the device, what the rest adds "
        "at the rate of the longest distances; the interval then reaches from the one to twice the other."
    ),
    source="Skippy 4.3 and Table 3",
    headline=True,
    measures=(Measures(Measurand.FULL_STROKE, "with_mtm"),),
    columns=(ListColumn("seek-full", "Full-stroke seek", 120, "without_mtm"),),
)
BASELINE = Metric(
    key="seeker.baseline",
    title="Baseline without seek",
    unit="ms",
    direction=Direction.LOWER,
    definition="Shortest latency with no seek in it: the minimum time to media as SEEKER sees it.",
    method=("Between the shortest latency and the latest angle that was missed, of accesses on one track."),
    source="Skippy 4.3",
    measures=(Measures(Measurand.SEEK_BASELINE),),
)

METRICS = (MINIMUM, AVERAGE, FULL_STROKE, BASELINE)
