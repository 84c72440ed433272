"""The metrics of the bandwidth kind, as the metric registry shows them."""

from __future__ import annotations

from server.benchmarks.contract import Direction, ListColumn, Measurand, Measures, Metric

RATE = Metric(
    key="bandwidth.rate",
    title="Bandwidth by size and position",
    unit="MB/s",
    direction=Direction.HIGHER,
    definition=(
        "Bytes of one transfer over the time from its request to its answer, the seek to it included. The "
        "scope names direction, bytes, and position in per cent of the device."
    ),
    method="Mean over the repeats; the interval holds what seek and rotation add to a single transfer.",
    source="Eridano 3.1, Figures 1 and 2",
)
DEVIATION = Metric(
    key="bandwidth.deviation",
    title="Deviation of the bandwidth by size and position",
    unit="MB/s",
    direction=Direction.LOWER,
    definition="Standard deviation of the bandwidth between repeats of the same transfer on one unit.",
    method="Sample standard deviation over the repeats, with its chi-squared interval.",
    source="Eridano 3.1, Figures 3 and 4 (there: between units)",
)
PEAK = Metric(
    key="bandwidth.peak",
    title="Peak bandwidth",
    unit="MB/s",
    direction=Direction.HIGHER,
    definition="Highest bandwidth of all pairs of size and position.",
    method=(
        "Highest mean of the transfers of the greatest size; shorter ones that beat what the medium "
        "can do were answered from a buffer and do not count."
    ),
    source="Eridano 3.1 and Table 3",
    headline=True,
    measures=(Measures(Measurand.OUTER_BANDWIDTH, "read", rank=2, extreme=True),),
    columns=(
        ListColumn("peak-read", "Peak, reads", 140, "read"),
        ListColumn("peak-write", "Peak, writes", 150, "write"),
    ),
)
SIZE_95 = Metric(
    key="bandwidth.size_at_95_percent",
    title="Size that reaches 95 % of the peak",
    unit="MB",
    direction=Direction.LOWER,
    definition="Shortest transfer at the outer position with 95 % of the bandwidth that 1 GiB has there.",
    method="From the law t = t0 + size / rate, fitted to all of the direction's transfers.",
    source="Eridano 3.1, Figures 1 and 2; the law from OLP",
    headline=True,
)
HALF_SIZE = Metric(
    key="bandwidth.half_peak_size",
    title="Half-peak size",
    unit="MB",
    direction=Direction.LOWER,
    definition="Transfer that spends as long on seek and rotation as on its bytes, so half of the rate.",
    method="Fixed time times the rate at the outer position, from the fitted law.",
    source="Hockney's n 1/2, applied to Eridano 3.1",
)
OVERHEAD = Metric(
    key="bandwidth.fixed_time",
    title="Fixed time of a transfer",
    unit="ms",
    direction=Direction.LOWER,
    definition=(
        "What a transfer takes beyond its bytes: command, seek over half of the device, and the wait for "
        "the first block."
    ),
    method="Intercept of the law t = t0 + size / rate, one for all positions.",
    source="Eridano 3.1: a fixed seek time, independent of the amount of data",
)
RATIO = Metric(
    key="bandwidth.outer_inner_ratio",
    title="Outer over inner bandwidth",
    unit="1",
    direction=Direction.NEITHER,
    definition="Rate at the first position divided by the rate at the last one.",
    method=(
        "Ratio of the longest transfers' rates, without the fixed time. The last position is a whole "
        "interval before the end of the device."
    ),
    source="Eridano 3.1, Figures 1 and 2",
)

METRICS = (PEAK, SIZE_95, HALF_SIZE, OVERHEAD, RATIO, RATE, DEVIATION)
