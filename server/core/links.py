"""How much data a link can pass, from the bit rate that it was negotiated at."""

from __future__ import annotations

CODED = {"ata": 0.8}
"""Share of the line's bits that are data: SATA sends ten bits for each byte (8b/10b, Serial ATA 3.x, link
layer). Others are taken at their full rate, which errs towards a faster link."""


def link_bytes_per_s(*, interface: str, bridged: bool, bits_per_s: float) -> float:
    """Return the most bytes that pass in a second; the speed of a bridged disk's link is the bridge's own."""
    share = 1.0 if bridged else CODED.get(interface, 1.0)
    return share * bits_per_s / 8
