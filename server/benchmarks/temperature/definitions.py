"""The metrics of the temperature kind, as the metric registry shows them."""

from __future__ import annotations

from server.benchmarks.contract import Direction, Metric

BANDWIDTH = Metric(
    key="temperature.bandwidth",
    title="Bandwidth at ordinary temperatures",
    unit="MB/s",
    direction=Direction.HIGHER,
    definition="Bandwidth of 128 MiB at the outer rim, on the faster side of the step where there is one.",
    method="Median of the samples, with the interval of a median.",
    source="Eridano 3.3, Figure 10",
)
SPAN = Metric(
    key="temperature.span",
    title="Span of temperatures",
    unit="°C",
    direction=Direction.NEITHER,
    definition="From the lowest to the highest temperature that the device's sensor said.",
    method="Difference of the extremes; each is known to a degree.",
    source="Eridano 3.3, Figure 9",
)
THRESHOLD = Metric(
    key="temperature.threshold",
    title="Temperature of the step",
    unit="°C",
    direction=Direction.LOWER,
    definition=(
        "Where the bandwidth changes from one level to another: midway between the highest reading on one "
        "side and the lowest on the other."
    ),
    method=(
        "Change point of the samples sorted by temperature, not by time, by least absolute deviations; the "
        "interval spans the readings between which it lies."
    ),
    source="Eridano 3.3: writes fall at 19 °C or below",
    headline=True,
)
SHARE = Metric(
    key="temperature.share_left",
    title="What is left beyond the step",
    unit="1",
    direction=Direction.HIGHER,
    definition="Bandwidth on the slower side of the step over that on the faster side.",
    method="Ratio of the medians of both sides.",
    source="Eridano 3.3: less than 30 %",
    headline=True,
)
SLOPE = Metric(
    key="temperature.slope",
    title="Change of the bandwidth with temperature",
    unit="%/°C",
    direction=Direction.NEITHER,
    definition="What the bandwidth changes by with each degree; on the faster side, where there is a step.",
    method="Theil-Sen slope of the logarithm; its interval is widened by how alike neighbours in time are.",
    source="Eridano 3.3: reads are independent of temperature",
)

METRICS = (THRESHOLD, SHARE, SLOPE, BANDWIDTH, SPAN)
