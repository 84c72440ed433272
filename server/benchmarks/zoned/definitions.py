"""The metrics of ZONED, as the metric registry shows them."""

from __future__ import annotations

from server.benchmarks.contract import (
    Answer,
    Direction,
    FingerprintFeature,
    ListColumn,
    Measurand,
    Measures,
    Metric,
)

OUTER = Metric(
    key="zoned.outer_bandwidth",
    title="Outer bandwidth",
    unit="MB/s",
    direction=Direction.HIGHER,
    definition="Bandwidth of sequential reads in the first zone, where the tracks are longest.",
    method=(
        "Blocks over time of the first zone's regions together. The interval holds how they differ, what "
        "none of them may have met, where their clock may have begun, those next to the end, and as far as "
        "scatter could hide the step of another zone or, in cells, as heads differ; downwards also what "
        "regions that came late would take in full."
    ),
    source="Skippy 4.2 and Table 3",
    headline=True,
    measures=(Measures(Measurand.OUTER_BANDWIDTH),),
    columns=(ListColumn("outer", "Outer bandwidth", 10, shown=True),),
    answers=(Answer(10, "How fast at the outer edge?", "reads {by} faster at the outer edge"),),
    # Eridano 3.1: units of one model differ by up to 7 % (one standard deviation).
    fingerprint=(FingerprintFeature("outer bandwidth", "zones", 0.15),),
)
INNER = Metric(
    key="zoned.inner_bandwidth",
    title="Inner bandwidth",
    unit="MB/s",
    direction=Direction.HIGHER,
    definition="Bandwidth of sequential reads in the last zone.",
    method=(
        "Blocks over time of the last zone's regions together. The interval holds how they differ, what "
        "none of them may have met, where their clock may have begun, those next to the end, and as far as "
        "scatter could hide the step of another zone or, in cells, as heads differ; downwards also what "
        "regions that came late would take in full."
    ),
    source="Skippy 4.2 and Table 3",
    headline=True,
    measures=(Measures(Measurand.INNER_BANDWIDTH),),
    columns=(ListColumn("inner", "Inner bandwidth", 20, shown=True),),
    answers=(Answer(30, "How fast at the inner edge?", "reads {by} faster at the inner edge"),),
    fingerprint=(FingerprintFeature("inner bandwidth", "zones", 0.15),),
)
MIDDLE = Metric(
    key="zoned.middle_bandwidth",
    title="Middle bandwidth",
    unit="MB/s",
    direction=Direction.HIGHER,
    definition="Bandwidth of sequential reads half way through the capacity.",
    method=(
        "Blocks over time of the regions of the zone that holds the block at half the capacity. Where that "
        "block may belong to the zone beside it, since the boundary is not known so well, the interval holds "
        "both."
    ),
    source="follows from Skippy 4.2",
    headline=True,
    columns=(ListColumn("middle", "Middle bandwidth", 15),),
    answers=(Answer(20, "How fast in the middle?", "reads {by} faster in the middle"),),
)
MEAN = Metric(
    key="zoned.mean_bandwidth",
    title="Mean bandwidth",
    unit="MB/s",
    direction=Direction.HIGHER,
    definition="Capacity over the time to read the whole device once.",
    method="Harmonic mean of the regions' bandwidths, each weighted by the part of the device it stands for.",
    source="follows from Skippy 4.2",
    headline=True,
    columns=(ListColumn("mean", "Mean bandwidth", 30),),
)
ZONES = Metric(
    key="zoned.zone_count",
    title="Zones",
    unit="1",
    direction=Direction.NEITHER,
    definition="Stretches of equal bandwidth that the profile shows.",
    method=(
        "Change points by penalised least squares; neighbours whose bandwidths differ by less than their "
        "errors or by less than 0.7 % are one. Where the quality is not good the interval begins at how many "
        "fall from one to the next by more than any rises: tracks get shorter inwards, so that what rises is "
        "no zone."
    ),
    source="Skippy 5.2",
    headline=True,
    nominal=True,
    columns=(ListColumn("zones", "Zones", 50),),
)
RATIO = Metric(
    key="zoned.bandwidth_ratio",
    title="Outer over inner bandwidth",
    unit="1",
    direction=Direction.NEITHER,
    definition="Outer bandwidth divided by inner bandwidth.",
    method="Ratio of the two.",
    source="Skippy 5.2",
    columns=(ListColumn("ratio", "Outer over inner", 40),),
    fingerprint=(FingerprintFeature("outer to inner bandwidth", "zones", 0.1),),
)


def _fit_error(name: str, title: str, what: str) -> Metric:
    return Metric(
        key=f"zoned.fit_error_{name}",
        title=title,
        unit="MB/s",
        direction=Direction.LOWER,
        definition=f"Root mean square distance of the profile from {what}.",
        method="Over all regions, each weighted by the part of the device it stands for.",
        source="Skippy 5.2",
    )


FIT_ERRORS = (
    _fit_error("linear", "Error of the linear fit", "the line a x + b fitted to all regions"),
    _fit_error("quadratic", "Error of the quadratic fit", "the parabola a x² + b fitted to all regions"),
    _fit_error("step", "Error of the step fit", "the step function of the zones"),
    _fit_error(
        "linear_ends", "Error of the linear fit from two points", "the line through the two ends only"
    ),
    _fit_error(
        "quadratic_ends",
        "Error of the quadratic fit from two points",
        "the parabola a x² + b through the two ends only",
    ),
)


def _error_ratio(name: str, title: str, over: str, under: str) -> Metric:
    return Metric(
        key=f"zoned.error_ratio_{name}",
        title=title,
        unit="1",
        direction=Direction.NEITHER,
        definition=f"Error of {over} over that of {under}: above 1 the parabola describes the zones better.",
        method="Ratio of the two root mean squares; the interval is that of their scatter over the regions.",
        source="Skippy 5.2",
    )


ERROR_RATIOS = {
    ("linear", "quadratic"): _error_ratio(
        "fits", "Linear over quadratic error", "the linear fit", "the quadratic one"
    ),
    ("linear_ends", "quadratic_ends"): _error_ratio(
        "ends", "Linear over quadratic error, two points", "the line through the ends", "the parabola there"
    ),
    ("linear", "quadratic_ends"): _error_ratio(
        "fit_over_ends",
        "Linear error over that of a parabola from two points",
        "the linear fit to all regions",
        "the parabola through the ends",
    ),
}
METRICS = (OUTER, MIDDLE, INNER, MEAN, ZONES, RATIO, *FIT_ERRORS, *ERROR_RATIOS.values())
