"""The metrics of ACCESS, as the metric registry shows them."""

from __future__ import annotations

from server.benchmarks.contract import Answer, Direction, ListColumn, Measurand, Measures, Metric

TUNE = "Maxtor 5.5, HD Tune's parameters"
BOTH = "Maxtor 5.5, HD Tune's and HD Tach's parameters"


ACCESS = Metric(
    "access.access_time",
    "Random access time",
    "ms",
    Direction.LOWER,
    "Mean time to read a single block at a random place of the whole disk: HD Tune's access time, HD "
    "Tach's random access.",
    "Arithmetic mean with Student's interval, widened by how alike neighbours are, as each seek begins where "
    "the one before ended; without reads of more than ten times the median: the drive wrote out what it "
    "still held.",
    BOTH,
    headline=True,
    measures=(Measures(Measurand.ACCESS_TIME),),
    columns=(ListColumn("access", "Access time", 130),),
    answers=(Answer(40, "How long does a random access take?", "takes {by} less for a random access"),),
)
MINIMUM = Metric(
    "access.transfer_minimum",
    "Transfer rate minimum",
    "MB/s",
    Direction.HIGHER,
    "The slowest of the sequential rates that were measured evenly over the disk.",
    "Requests of 64 KiB one after the other; the seek to each place is not in its time.",
    TUNE,
    measures=(Measures(Measurand.INNER_BANDWIDTH, "", rank=3, extreme=True),),
)
MAXIMUM = Metric(
    "access.transfer_maximum",
    "Transfer rate maximum",
    "MB/s",
    Direction.HIGHER,
    "The fastest of the sequential rates that were measured evenly over the disk.",
    "As the minimum.",
    TUNE,
    measures=(Measures(Measurand.OUTER_BANDWIDTH, "", rank=3, extreme=True),),
)
AVERAGE = Metric(
    "access.transfer_average",
    "Transfer rate average",
    "MB/s",
    Direction.HIGHER,
    "Arithmetic mean of the sequential rates measured evenly over the disk: HD Tune's average, HD Tach's "
    "average read.",
    "Each rate counts alike. The interval is that of single samples about the line through their neighbours: "
    "the fall from the outer to the inner tracks is not an error.",
    BOTH,
    headline=True,
)
RATE_AT = Metric(
    "access.rate_at",
    "Transfer rate at a position",
    "MB/s",
    Direction.HIGHER,
    "Sequential rate at a share of the disk, in per cent: the scope. 100 per cent is the last stretch of "
    "the disk.",
    "One sample; its interval is what samples of this run differ by from their neighbours.",
    "Maxtor, Table 2",
)
BURST = Metric(
    "access.burst_rate",
    "Burst rate",
    "MB/s",
    Direction.HIGHER,
    "The fastest rate at which the drive's buffer gives what it just gave: HD Tune's burst rate, HD "
    "Tach's burst speed.",
    "The same 8 to 64 KiB read again and again; of each size the median, of these the fastest. Only where a "
    "single block comes back in less than the shortest half turn of any disk, 2 ms.",
    BOTH,
    headline=True,
    measures=(Measures(Measurand.BURST_RATE),),
)
CPU = Metric(
    "access.cpu_usage",
    "CPU usage",
    "%",
    Direction.LOWER,
    "Share of the time of all processors together that was neither idle nor waiting, while the rates were "
    "measured.",
    "Difference of the machine's counters (/proc/stat) before and after; other programs count as well.",
    BOTH,
)
BUFFER = Metric(
    "access.buffer_size",
    "Buffer that one stream uses",
    "KiB",
    Direction.HIGHER,
    "The longest sequential read whose first block is still in the buffer at its end.",
    "Lengths are doubled until two are gone, then the distance is halved four times; of several tries of "
    "each length more than half must find the block.",
    "Maxtor 5.1 (buffer size), by the project's own method: HD Tune prints what the drive says",
    measures=(Measures(Measurand.STREAM_BUFFER_SIZE),),
)

METRICS = (ACCESS, AVERAGE, MINIMUM, MAXIMUM, RATE_AT, BURST, CPU, BUFFER)

POSITIONS = ("2.75", "15.25", "27.75", "40.25", "52.75", "65.25", "77.75", "90.25", "100")
"""Per cent of the disk, Maxtor's Table 2."""
