"""Samples that are marked disturbed: extraction leaves them out, so whoever marks chooses the numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from server.core.text import counted
from server.plausibility.check import Check, Result, judged, not_applicable
from server.plausibility.columns import Timed
from server.plausibility.evidence import Evidence

COLUMN = "disturbed"
MOST_SHARE = 1 / 3
MOST_SLOWER = 0.9
WATCHED_REQUESTS = 65_536
"""The probe looks at so many requests of a piece one by one."""
MOST_PIECES = 1_000
"""And tells of so many pieces."""
ATTEMPTS = 3
CAUSES = ("foreign_requests", "swapped_pages", "throttle_events")
WATCHED_EVERY_NS = 20_000_000
SHORT_NS = WATCHED_EVERY_NS / 2
ENOUGH_STRETCHES = 8
ENOUGH_LONG = 16
"""Of stretches longer than the monitor's step, so many that one disturbance does not meet most of them."""


def marks_counted(evidence: Evidence) -> Result:
    """Compare the marks with what the probe's monitor counted."""
    marked = _by_kind(evidence)
    if not marked:
        return not_applicable("No sample is marked as disturbed.")
    pieces: Sequence[Mapping[str, Any]] = evidence.document["conditions"].get("disturbances", [])
    findings = [*_impossible(pieces), *_without_cause(evidence, pieces)]
    shares = {}
    for kind, columns in marked.items():
        mine = [piece for piece in pieces if piece["kind"] == kind]
        complete = len(pieces) < MOST_PIECES and all(one["requests"] < WATCHED_REQUESTS for one in mine)
        counted_requests = sum(piece["disturbed_requests"] for piece in mine)
        disturbed = max(int(column.sum()) for column in columns.values())
        if complete and disturbed > counted_requests:
            findings.append(
                f"{kind}: {counted(disturbed, 'sample')} are marked as disturbed, and the monitor counted "
                f"{counted(counted_requests, 'disturbed request')}."
            )
        shares[kind] = share = round(max(float(column.mean()) for column in columns.values()), 4)
        slower = _slower(_sorted_by_time(evidence, kind, mine))
        if share > MOST_SHARE and slower > MOST_SLOWER:
            findings.append(
                f"{kind}: {100 * share:.0f} % of the samples are marked as disturbed and left out, and in "
                f"{100 * slower:.0f} % of pairs the marked one is the slower."
            )
    findings += _too_short(evidence)
    return judged(findings, "Marks and the monitor's counts agree.", marked_share=shares)


def _sorted_by_time(evidence: Evidence, kind: str, pieces: Sequence[Mapping[str, Any]]) -> list[Timed]:
    """Return the series of a kind whose marked samples need not be the slower ones.

    A stretch longer than the monitor's step is marked as a whole, and slower by what met it: of a few such
    stretches one disturbance may meet the most, and where a cause was counted for each, all have met one.
    """
    found = [series for series in evidence.series if series.kind == kind and series.times_ns.size]
    disturbed = sum(
        int(series.columns[COLUMN].sum()) for series in found if _is_long(series) and COLUMN in series.columns
    )
    caused = sum(piece[name] for piece in pieces for name in CAUSES) >= disturbed
    return [
        series
        for series in found
        if not _is_long(series) or (series.times_ns.size >= ENOUGH_LONG and not caused)
    ]


def _is_long(series: Timed) -> bool:
    """Whether a sample of a series usually takes longer than the monitor's step."""
    return bool(np.median(series.times_ns) >= WATCHED_EVERY_NS)


def _by_kind(evidence: Evidence) -> dict[str, dict[str, NDArray[np.int64]]]:
    """Return the marks of each kind, those of its series and of each sort of object in them together: a
    stretch and a request may tell of the same time."""
    found: dict[str, dict[str, list[NDArray[np.int64]]]] = {}
    for series in evidence.series:
        disturbed = series.columns.get(COLUMN, np.zeros(series.times_ns.size, dtype=np.int64))
        sort = series.path.rpartition("/")[2]
        found.setdefault(series.kind, {}).setdefault("" if sort.isdigit() else sort, []).append(disturbed)
    together = {
        kind: {sort: np.concatenate(columns) for sort, columns in sorts.items()}
        for kind, sorts in found.items()
    }
    return {kind: sorts for kind, sorts in together.items() if any(column.any() for column in sorts.values())}


def _slower(found: Iterable[Timed]) -> float:
    """Return in how many pairs of a marked and an unmarked sample of one series the marked one took longer.

    That is in all or for each block: half where marks have nothing to do with times, all where the slower
    ones were marked.
    """
    slower, pairs = 0.0, 0
    for series in found:
        disturbed = series.columns.get(COLUMN)
        if disturbed is None or not disturbed.any() or disturbed.all():
            continue
        of_series = int(disturbed.sum()) * int((disturbed == 0).sum())
        sizes = series.blocks if series.blocks is not None else np.ones(disturbed.size)
        slower += of_series * max(
            _above(series.times_ns, disturbed), _above(series.times_ns / sizes, disturbed)
        )
        pairs += of_series
    return slower / pairs if pairs else 0.0


def _above(values: NDArray[Any], disturbed: NDArray[np.int64]) -> float:
    """Return in how many pairs of a marked and an unmarked value the marked one is the higher (equal ones
    count half): the area under the curve of a rank test."""
    clean, marked = np.sort(values[disturbed == 0]), values[disturbed == 1]
    below = np.searchsorted(clean, marked, "left") + np.searchsorted(clean, marked, "right")
    return float(below.mean()) / 2 / clean.size


def _impossible(pieces: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for piece in pieces:
        if piece["disturbed_requests"] > piece["requests"] or not 1 <= piece["attempts"] <= ATTEMPTS:
            yield (
                f"{piece['kind']}, piece {piece['piece']}: {piece['disturbed_requests']} of "
                f"{piece['requests']} requests in {counted(piece['attempts'], 'attempt')}, of {ATTEMPTS} at "
                "most."
            )
            return


def _without_cause(evidence: Evidence, pieces: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The monitor marks for three causes only, and counts each."""
    counts = [piece[name] for piece in pieces for name in CAUSES]
    if not any(counts) and not evidence.document["conditions"]["foreign_requests"]:
        yield (
            "Samples are marked as disturbed, and nothing disturbed the run: no request of others, no page "
            "swapped, no processor throttled."
        )


def _too_short(evidence: Evidence) -> Iterator[str]:
    """A mark covers the time between two readings of the counters, so that short requests are marked in
    rows."""
    for kind in dict.fromkeys(series.kind for series in evidence.series):
        found = [
            stretch for series in evidence.series if series.kind == kind for stretch in _stretches_ns(series)
        ]
        short = sum(stretch < SHORT_NS for stretch in found)
        if len(found) >= ENOUGH_STRETCHES and short > len(found) / 2:
            yield (
                f"{kind}: {short} of {counted(len(found), 'marked stretch')} lie between "
                f"unmarked requests less than {SHORT_NS / 1e6:.0f} ms apart; the monitor reads its counters "
                f"every {WATCHED_EVERY_NS / 1e6:.0f} ms and marks nothing shorter."
            )


def _stretches_ns(series: Timed) -> Iterator[int]:
    """Return the time between the unmarked requests around each row of marked ones."""
    starts, disturbed = series.columns.get("start_ns"), series.columns.get(COLUMN)
    if starts is None or disturbed is None or not series.single or series.at_once > 1:
        return
    clean = np.flatnonzero(disturbed == 0)
    for before, after in pairwise(clean):
        if after - before > 1:
            yield int(starts[after] - starts[before] - series.times_ns[before])


DISTURBED_COUNTED = Check(
    key="marks_counted",
    title="Disturbed samples were counted as such",
    question=(
        "Do the samples that are marked as disturbed agree with the monitor's counts, and were they chosen "
        "by time?"
    ),
    limit=(
        "No more marks than disturbed requests counted; a cause counted; not more than "
        f"{100 * MOST_SHARE:.0f} % of a kind's samples marked where the marked ones are the slower in "
        f"{100 * MOST_SLOWER:.0f} % of pairs, of samples shorter than {WATCHED_EVERY_NS / 1e6:.0f} ms, or of "
        f"series of {ENOUGH_LONG} longer ones that fewer causes were counted for than were marked; half of "
        f"the marked stretches {SHORT_NS / 1e6:.0f} ms or longer."
    ),
    because=(
        "Extraction leaves marked samples out, so marking the slower half makes a drive faster. The probe "
        "marks by time, from counters read every 20 ms, says for each piece how many requests that met, and "
        "measures a "
        "piece again, three times in all, where one in fifty did. Time meets fast and slow samples alike; "
        "only a "
        "disturbance's own delay makes the marked ones slower."
    ),
    remedy="Measure again while nothing else uses the disk or the machine.",
    judge=marks_counted,
)
CHECKS = (DISTURBED_COUNTED,)
