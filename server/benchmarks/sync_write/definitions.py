"""The metrics of SYNC_WRITE, as the metric registry shows them."""

from __future__ import annotations

from server.benchmarks.contract import Direction, ListColumn, Metric

SOURCE = "OLP, write tests"

REQUEST_TIME = Metric(
    key="sync_write.request_time",
    title="Time of a write without its data",
    unit="ms",
    direction=Direction.LOWER,
    definition="t0 of the law t = t0 + size / rate that the sizes follow: what a write costs, however short.",
    method=(
        "Robust line through the sizes' mean latencies, each weighted by its relative error; means leave out "
        "latencies far from the median."
    ),
    source=f"{SOURCE}: 21 s for 2,500 writes of any size up to 32 KiB",
    headline=True,
)
RATE = Metric(
    key="sync_write.asymptotic_rate",
    title="Rate of the data",
    unit="MB/s",
    direction=Direction.HIGHER,
    definition="The rate of the law t = t0 + size / rate: what long writes approach.",
    method="Slope of the same line.",
    source=f"{SOURCE}: the plateau of the graph",
)
TURNS = Metric(
    key="sync_write.turns",
    title="Turns per write",
    unit="1",
    direction=Direction.NEITHER,
    definition="t0 over the time of a turn: one where each write waits for the place that has just gone by.",
    method="Turn from the rated rotation rate, else from the probe's estimate.",
    source=f"{SOURCE}: 8.33 ms at 7200 RPM",
)
WRITE_CACHE = Metric(
    key="sync_write.write_cache",
    title="Write cache in fact",
    unit="1",
    direction=Direction.NEITHER,
    definition=(
        "Whether writes are answered before they are on the medium, whatever the drive says of its cache."
    ),
    method=(
        "Verdict: on where series of small writes begin with answers in less than half a turn, off where "
        "none does and small writes take a turn. The verdict is in the details; the sentence says it."
    ),
    source=f"{SOURCE} and the note on WCE",
)
TRACK = Metric(
    key="sync_write.track_size",
    title="Track size at the outer rim",
    unit="MB",
    direction=Direction.HIGHER,
    definition="Bytes that pass under the head in one turn where the writes were made.",
    method=(
        "Without a write cache, writes shorter than a track take a turn and the time of their data on the "
        "track: the slope of their median latencies, times a turn. Medians of those that stay on it."
    ),
    source=f"{SOURCE}: about 1.5 MB, from rate and rotation",
    headline=True,
)
STEADY = Metric(
    key="sync_write.steady_bandwidth",
    title="Steady bandwidth of long writes",
    unit="MB/s",
    direction=Direction.HIGHER,
    definition="Bytes over time of the longest writes, once a cache is full.",
    method="The second half of the writes of the largest size; latencies far from their median are left out.",
    source=f"{SOURCE}: 142.83 MB/s at 128 MiB",
    headline=True,
)
MEDIAN = Metric(
    key="sync_write.latency_median",
    title="Median latency of a write",
    unit="ms",
    direction=Direction.LOWER,
    definition="The latency that half of the writes of a size stay below.",
    method="Order statistic; its interval is that of the binomial distribution.",
    source="follows from OLP, write tests",
    columns=(ListColumn("write-off", "Write of 4 KiB, cache off", 190, "off/4KiB"),),
)
P99 = Metric(
    key="sync_write.latency_99",
    title="99th percentile of a write's latency",
    unit="ms",
    direction=Direction.LOWER,
    definition="The latency that 99 of 100 writes of a size stay below.",
    method="Order statistic, from 100 writes on; its interval is that of the binomial distribution.",
    source="follows from OLP, write tests",
)

LAW = (REQUEST_TIME, RATE, TURNS, TRACK, STEADY)
METRICS = (REQUEST_TIME, RATE, TURNS, WRITE_CACHE, TRACK, STEADY, MEDIAN, P99)
