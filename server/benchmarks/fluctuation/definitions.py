"""The metrics of the fluctuation kind, as the metric registry shows them."""

from __future__ import annotations

from server.benchmarks.contract import Direction, Metric

SCOPE = "The scope names pause, direction and position in per cent of the device."

MEAN = Metric(
    key="fluctuation.mean",
    title="Mean bandwidth over time",
    unit="MB/s",
    direction=Direction.HIGHER,
    definition=f"Mean bandwidth of equal transfers at one position, round after round. {SCOPE}",
    method="Arithmetic mean with its t interval.",
    source="Eridano 3.2, Figures 7 and 8",
)
DEVIATION = Metric(
    key="fluctuation.deviation",
    title="Deviation of the bandwidth over time",
    unit="MB/s",
    direction=Direction.LOWER,
    definition=f"Standard deviation of the bandwidth of equal transfers at one position. {SCOPE}",
    method="Sample standard deviation with its chi-squared interval.",
    source="Eridano 3.2, Figures 7 and 8",
)
VARIATION = Metric(
    key="fluctuation.variation",
    title="Variation over time",
    unit="1",
    direction=Direction.LOWER,
    definition="Standard deviation over mean of equal transfers, all positions together.",
    method="Root mean square of the positions' coefficients of variation, with a chi-squared interval.",
    source="Eridano 3.2: no more than 7 to 8 %",
    headline=True,
)
WORST = Metric(
    key="fluctuation.worst_variation",
    title="Largest variation over time",
    unit="1",
    direction=Direction.LOWER,
    definition="Standard deviation over mean of equal transfers, at the position where that is largest.",
    method="Largest of the positions' coefficients, with the chi-squared interval of that position.",
    source="Eridano 3.2: no more than 7 to 8 %",
)
DRIFT = Metric(
    key="fluctuation.drift",
    title="Drift over the run",
    unit="%",
    direction=Direction.NEITHER,
    definition="How much faster or slower the device got from first to last round, along a straight line.",
    method=(
        "Least squares on the logarithm of the bandwidth relative to its position's median, jumps taken out; "
        "the interval is widened by the correlation between neighbours, so that a slow wave is no trend."
    ),
    source="Eridano 3.2 asks how performance changes over a day; the trend is this project's own",
)
JUMPS = Metric(
    key="fluctuation.jumps",
    title="Jumps",
    unit="1",
    direction=Direction.LOWER,
    definition="Lasting changes of the bandwidth from one moment to the next, at all positions together.",
    method=(
        "Change points by penalised least squares that are as sharp as they are high, and above the noise of "
        "the samples on both sides."
    ),
    source="Eridano 3.2 asks how performance changes over a day; the search is this project's own",
)

METRICS = (VARIATION, WORST, DRIFT, JUMPS, MEAN, DEVIATION)
