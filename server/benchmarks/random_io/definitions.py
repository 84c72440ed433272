"""The metrics of RANDOM_IO, as the metric registry shows them.

A scope names the combination: `read/4096/p8` are reads of 4096 bytes by eight processes, `mixed/65536/q32`
reads and writes by halves of 65,536 bytes with 32 requests queued.
"""

from __future__ import annotations

from server.benchmarks.contract import Answer, Direction, ListColumn, Measurand, Measures, Metric

PLATINUM = "Platinum, evaluation metrics"
STABILITY = "Platinum, random write: stable against unpredictable behaviour"


ALONE = Metric(
    "random_io.alone",
    "Random reads a second, alone",
    "1/s",
    Direction.HIGHER,
    "Random reads of 4 KiB (or one block, where that is larger) a second with one request under way.",
    "The rate of requests of that combination.",
    PLATINUM,
    headline=True,
    measures=(Measures(Measurand.RANDOM_READS),),
    columns=(ListColumn("iops-one", "Reads a second, one at a time", 170),),
    answers=(Answer(50, "How many random reads a second?", "answers {by} more random reads a second"),),
)
MOST = Metric(
    "random_io.most",
    "Random reads a second, many at once",
    "1/s",
    Direction.HIGHER,
    "Random reads of 4 KiB (or one block, where that is larger) a second with the most requests under way "
    "that were tried.",
    "The rate of requests of that combination.",
    "OLP, closing remark on simultaneous processes",
    headline=True,
    columns=(ListColumn("iops-most", "Reads a second, many at a time", 180),),
)
AVERAGE = Metric(
    "random_io.average",
    "Average of random requests a second",
    "1/s",
    Direction.HIGHER,
    "Mean of the rates of all sizes and counts of processes that were measured of one sort of request: "
    "reads, reads and writes by halves, or writes.",
    "Arithmetic mean, as the document averages; errors of the combinations add in squares. Only runs of the "
    "same combinations compare: the count is that of the combinations.",
    "Platinum, Figures 5, 8 and 11",
)
IOPS = Metric(
    "random_io.iops",
    "Random requests a second",
    "1/s",
    Direction.HIGHER,
    "Requests answered in a second while as many were under way as the scope says.",
    "Requests over time from the first request of a batch until its last one is handed over; the interval is "
    "Student's over slices of that time.",
    PLATINUM,
)
ELAPSED = Metric(
    "random_io.elapsed",
    "Time for 10,000 requests",
    "s",
    Direction.LOWER,
    "What Platinum calls ET: the time for 10,000 requests, all processes together.",
    "Measured from first request to last answer, without what is read beforehand to be written back; "
    "scaled in proportion where fewer requests were made.",
    PLATINUM,
)
RATE = Metric(
    "random_io.data_rate",
    "Random data rate",
    "MB/s",
    Direction.HIGHER,
    "Bytes moved by random requests in a second.",
    "Requests a second times their size.",
    PLATINUM,
)
MEDIAN = Metric(
    "random_io.latency_median",
    "Median latency",
    "ms",
    Direction.LOWER,
    "Half of the requests took less. In mixed combinations the scope says of which half of them.",
    "From latencies in buckets less than one in 128 wide; the interval is that of order statistics.",
    "the project's own: Platinum gives averages only",
)
P99 = Metric(
    "random_io.latency_p99",
    "99th percentile of the latency",
    "ms",
    Direction.LOWER,
    "One request in a hundred took longer.",
    "As the median. Not given below 500 requests, where fewer than five lie beyond it.",
    "the project's own: Platinum gives averages only",
)
VARIATION = Metric(
    "random_io.latency_variation",
    "Coefficient of variation of the latency",
    "1",
    Direction.LOWER,
    "Standard deviation of the latency over its mean.",
    "From latencies in buckets, each at its bucket's middle; the interval is that of large samples.",
    STABILITY,
)
WORST = Metric(
    "random_io.worst_over_median",
    "Worst over median latency",
    "1",
    Direction.LOWER,
    "The longest latency over the median.",
    "Exact maximum over the median from buckets. It grows with the number of requests; compare equal counts.",
    STABILITY,
)
RATE_VARIATION = Metric(
    "random_io.rate_variation",
    "Coefficient of variation of the rate",
    "1",
    Direction.LOWER,
    "Standard deviation over mean of the requests a second in slices of the measuring time.",
    "Over up to 20 slices of equally many requests.",
    STABILITY,
)
SCALING = Metric(
    "random_io.scaling",
    "Gain from many at once",
    "1",
    Direction.HIGHER,
    "Requests a second with as many under way as the scope says, over those with one.",
    "Ratio of the two rates; their relative errors add in squares.",
    "Platinum, Figures 3 to 11; OLP, closing remark",
)


def _processor(name: str, what: str) -> Metric:
    return Metric(
        f"random_io.cpu_{name}",
        f"Processors {what}",
        "%",
        Direction.NEITHER,
        f"Share of the time of all processors together that was {what}, over all sizes of the scope.",
        "Difference of the machine's counters (/proc/stat) before and after; other programs count as well.",
        "Platinum, outcome of the performance measurement",
    )


CPU = {
    "idle_ns": _processor("idle", "idle"),
    "user_ns": _processor("user", "in programs"),
    "system_ns": _processor("system", "in the kernel"),
    "iowait_ns": _processor("iowait", "idle while a request was under way"),
}

METRICS = (
    ALONE,
    MOST,
    AVERAGE,
    IOPS,
    ELAPSED,
    RATE,
    MEDIAN,
    P99,
    VARIATION,
    WORST,
    RATE_VARIATION,
    SCALING,
    *CPU.values(),
)
