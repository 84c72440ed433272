"""The cache that a drive with shingled tracks has on its medium: it takes writes in, wherever they go."""

from __future__ import annotations

from dataclasses import replace

from server.benchmarks.contract import Facts, Measurement, Quality

MEDIA_CACHE = (
    "The drive's tracks are shingled: a cache on the medium takes writes in and sorts them later, so that "
    "this may be the cache's and not that of the place written to."
)


def of_media_cache(found: Measurement, facts: Facts) -> Measurement:
    """Return a number that was taken from writes with no better quality than fair, and with the reason, where
    drive or kernel told of shingled tracks."""
    if not facts.shingled or found.value is None:
        return found
    quality = Quality.FAIR if found.quality is Quality.GOOD else found.quality
    return replace(found, quality=quality, reason=f"{found.reason} {MEDIA_CACHE}".strip())
