"""What an imported number may say of itself: another tool measured it, and nobody here saw how."""

from __future__ import annotations

from dataclasses import replace

from server.benchmarks.contract import Extraction, Measurement, Quality

REASON = "Read from another tool's output: the probe did not watch this measurement."


def capped_at_fair(extraction: Extraction) -> Extraction:
    """Return the extraction with no number above fair.

    Whether something disturbed it, how its caches stood and whether the tool timed the drive alone is not
    known.
    """
    return replace(extraction, measurements=tuple(_capped(one) for one in extraction.measurements))


def _capped(one: Measurement) -> Measurement:
    if one.quality is not Quality.GOOD:
        return one
    return replace(one, quality=Quality.FAIR, reason=f"{REASON} {one.reason}".strip())
