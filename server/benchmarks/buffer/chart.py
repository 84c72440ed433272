"""BUFFER's picture: bandwidth over request size, the document's Figure 11."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from server.benchmarks.buffer.definitions import COLLAPSE, EFFECTIVE, PEAK, PLATEAU_END, PLATEAU_START
from server.benchmarks.buffer.extract import size_words
from server.benchmarks.contract import Annotation, Axis, Chart, Extraction, Facts, Series

KIB = 1024.0


def charts(entry: Mapping[str, Any], facts: Facts, extraction: Extraction) -> tuple[Chart, ...]:
    details = extraction.details
    kib = tuple(size / KIB for size in details["size_bytes"])
    rates = tuple(details["mb_per_s"])
    if not kib:
        return ()
    marks: list[Annotation] = []
    if details["plateau"] is not None and details["peak"] is not None:
        first, last = (kib[end] for end in details["plateau"])
        marks.append(Annotation("Plateau", (first * last) ** 0.5, None, first, last))
    if details["collapse"] is not None:
        low, high = kib[details["collapse"] - 1], kib[details["collapse"]]
        marks.append(Annotation("The buffer ends here", (low * high) ** 0.5, None))
    return (
        Chart(
            id="by-size",
            shape="buffer",
            title="Bandwidth of repeated reads by request size",
            summary=_summary(details),
            x=Axis("Request size", "KiB", "log", switchable=True),
            y=Axis("Bandwidth", "MB/s"),
            series=(Series("bandwidth", "Bandwidth", "points", kib, rates),),
            marks=tuple(marks),
            metrics=(PEAK.key, PLATEAU_START.key, PLATEAU_END.key, COLLAPSE.key, EFFECTIVE.key),
        ),
    )


def _summary(details: Mapping[str, Any]) -> str:
    if details["peak"] is None:
        return "Bandwidth of reading the same blocks again; no buffer answers."
    sizes, rates = details["size_bytes"], details["mb_per_s"]
    first, last = details["plateau"]
    words = (
        f"{rates[details['peak']]:.0f} MB/s at best, and nearly so "
        f"from {size_words(sizes[first])} to {size_words(sizes[last])}"
    )
    if details["collapse"] is None:
        return f"{words}; no collapse."
    collapse = details["collapse"]
    return f"{words}; {rates[collapse]:.0f} MB/s at {size_words(sizes[collapse])}."
