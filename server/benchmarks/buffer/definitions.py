"""The metrics of BUFFER, as the metric registry shows them."""

from __future__ import annotations

from server.benchmarks.contract import Direction, ListColumn, Measurand, Measures, Metric

PEAK = Metric(
    key="buffer.peak_bandwidth",
    title="Peak bandwidth from the buffer",
    unit="MB/s",
    direction=Direction.HIGHER,
    definition=(
        "Highest bandwidth of repeated reads of the same blocks, over the request sizes the buffer holds."
    ),
    method=(
        "Bytes over elapsed time at each size; the largest value before the collapse. The interval follows "
        "from the spread of the latencies at that size."
    ),
    source="Eridano 3.4, Figure 11 and Table 3",
    headline=True,
    measures=(Measures(Measurand.BUFFER_BANDWIDTH),),
)
PLATEAU_START = Metric(
    key="buffer.plateau_start",
    title="Smallest request size on the plateau",
    unit="KiB",
    direction=Direction.LOWER,
    definition="Smallest request size from which on every size the buffer holds reaches 95 % of the peak.",
    method="From the peak downwards; the interval reaches to the size below.",
    source="Eridano 3.4 and Figure 11",
)
PLATEAU_END = Metric(
    key="buffer.plateau_end",
    title="Largest request size on the plateau",
    unit="KiB",
    direction=Direction.HIGHER,
    definition="Largest request size that reaches 95 % of the peak before the collapse.",
    method="From the peak upwards; the interval reaches to the size above.",
    source="Eridano 3.4 and Figure 11",
)
COLLAPSE = Metric(
    key="buffer.collapse",
    title="What is left above the buffer's size",
    unit="1",
    direction=Direction.HIGHER,
    definition="Bandwidth at the first request size that the buffer no longer holds, as a share of the peak.",
    method=(
        "Of requests that the buffer answers, longer ones are never slower per byte. The first size whose "
        "bandwidth falls by more than 15 % below the best before it, and from which on none comes back, is "
        "the first that does not fit."
    ),
    source="Eridano 3.4 and Figure 11",
)
EFFECTIVE = Metric(
    key="buffer.effective_size",
    title="Effective buffer size",
    unit="KiB",
    direction=Direction.HIGHER,
    definition=(
        "How long a request may be for the buffer to answer it when made again: what one stream may use."
    ),
    method=(
        "It lies between the last request size before the collapse and the first one behind it: these are "
        "the interval, and the value is their geometric mean."
    ),
    source="Eridano 3.4",
    headline=True,
    measures=(Measures(Measurand.BUFFER_SIZE),),
    columns=(ListColumn("buffer", "Buffer in use", 160),),
)

METRICS = (PEAK, PLATEAU_START, PLATEAU_END, COLLAPSE, EFFECTIVE)
