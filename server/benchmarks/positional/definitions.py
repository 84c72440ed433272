"""The metrics of POSITIONAL, as the metric registry shows them."""

from __future__ import annotations

from server.benchmarks.contract import Direction, Measurand, Measures, Metric

SOURCE = "OLP, read tests"

MEAN = Metric(
    key="positional.mean_bandwidth",
    title="Mean bandwidth at a position",
    unit="MB/s",
    direction=Direction.HIGHER,
    definition=(
        "Mean over the samples of one position, each the bytes read in about three seconds over their time."
    ),
    method=(
        "Arithmetic mean of the samples' bandwidths. To Student's interval come what the way to the place "
        "takes of a sample, upwards (20 ms and a turn), and a turn either way, since all samples read the "
        "same stretch."
    ),
    source=SOURCE,
    headline=True,
    measures=(
        Measures(Measurand.OUTER_BANDWIDTH, "outer", rank=1),
        Measures(Measurand.INNER_BANDWIDTH, "inner", rank=1),
    ),
)
DEVIATION = Metric(
    key="positional.deviation",
    title="Standard deviation at a position",
    unit="MB/s",
    direction=Direction.LOWER,
    definition="Standard deviation of the samples of one position, with n - 1 in the denominator.",
    method="From the samples' bandwidths; the interval is that of the chi-squared distribution.",
    source=SOURCE,
)
VARIATION = Metric(
    key="positional.variation",
    title="Coefficient of variation at a position",
    unit="1",
    direction=Direction.LOWER,
    definition="Standard deviation over mean at one position.",
    method="The interval is that of the standard deviation, divided by the mean.",
    source="follows from OLP, read tests",
)
RATIO = Metric(
    key="positional.inner_to_outer",
    title="Inner over outer bandwidth",
    unit="1",
    direction=Direction.NEITHER,
    definition="Mean bandwidth near the end of the device divided by the mean at its start.",
    method="Ratio of the two means; the relative errors add in squares.",
    source=SOURCE,
    headline=True,
)

METRICS = (MEAN, DEVIATION, VARIATION, RATIO)
