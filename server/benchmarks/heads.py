"""What a short stretch says of its zone on a drive whose heads differ: how fast the head was that read it."""

from __future__ import annotations

from dataclasses import replace

from server.benchmarks.contract import Facts, Measurement, Quality

ONE_HEAD = "One head, or a few, read so short a stretch, and this drive's heads differ: not the zone's mean."


def of_one_head(found: Measurement, facts: Facts) -> Measurement:
    """Return a bandwidth of a stretch with an interval that reaches over the heads, where they differ."""
    if not facts.head_spread or found.value is None:
        return found
    reach = 1.96 * facts.head_spread * found.value
    quality = Quality.FAIR if found.quality is Quality.GOOD else found.quality
    return replace(
        found,
        low=max(min(found.value, found.low or 0.0) - reach, 0.0),
        high=max(found.value, found.high or 0.0) + reach,
        quality=quality,
        reason=f"{found.reason} {ONE_HEAD}".strip(),
    )
