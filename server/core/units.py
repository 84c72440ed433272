"""Units as documents and metrics write them, and how one becomes another."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: what it measures, and how many of its dimension's base unit it is."""

    dimension: str
    factor: float


UNITS: dict[str, Unit] = {
    "1": Unit("ratio", 1.0),
    "%": Unit("ratio", 0.01),
    "ns": Unit("time", 1e-9),
    "us": Unit("time", 1e-6),
    "ms": Unit("time", 1e-3),
    "s": Unit("time", 1.0),
    "B": Unit("size", 1.0),
    "kB": Unit("size", 1e3),
    "KiB": Unit("size", 1024.0),
    "MB": Unit("size", 1e6),
    "MiB": Unit("size", 1024.0**2),
    "GB": Unit("size", 1e9),
    "GiB": Unit("size", 1024.0**3),
    "TB": Unit("size", 1e12),
    "kB/s": Unit("rate", 1e3),
    "KiB/s": Unit("rate", 1024.0),
    "MB/s": Unit("rate", 1e6),
    "MiB/s": Unit("rate", 1024.0**2),
    "GB/s": Unit("rate", 1e9),
    "Mbit/s": Unit("rate", 1e6 / 8),
    "Gbit/s": Unit("rate", 1e9 / 8),
    "1/s": Unit("frequency", 1.0),
    "rpm": Unit("rotation", 1.0),
    "blocks": Unit("blocks", 1.0),
    "°C": Unit("temperature", 1.0),
    "%/°C": Unit("slope", 1.0),
}
"""MB and GB are powers of ten, MiB and GiB powers of two. A bit rate counts bits that carry data."""


LEAST_DIGITS = 4
"""Significant digits that a conversion keeps of a number printed with few: 2.1 MiB/s are 2.202 MB/s."""


class UnitError(ValueError):
    """A unit that nobody registered, or one that cannot become the other. Its text says what to do."""


def convert(value: float, unit: str, to: str) -> float:
    """Return `value`, given in `unit`, in the unit `to`.

    Raises UnitError where one of them is not registered, or where they measure different things.
    """
    for name in (unit, to):
        if name not in UNITS:
            raise UnitError(f"The unit {name!r} is not known. Units are {', '.join(UNITS)}. Use one of them.")
    source, target = UNITS[unit], UNITS[to]
    if source.dimension != target.dimension:
        raise UnitError(
            f"{unit} is a unit of {source.dimension}, {to} one of {target.dimension}: one does not "
            f"become the other. State the number in {' or '.join(_alike(target))}."
        )
    return value if unit == to else value * source.factor / target.factor


def convert_stated(value: float, unit: str, to: str) -> float:
    """Return a number that a document prints in another unit, with one significant digit more than printed.

    Without the rounding a converted number would show digits that no document states. A number that comes out
    whole stays as it is (8 MiB are 8192 KiB), and never fewer than four digits are kept.
    """
    converted = convert(value, unit, to)
    if unit == to or converted == int(converted):
        return converted
    exponent = math.floor(math.log10(abs(converted)))
    return round(converted, max(significant_digits(value), LEAST_DIGITS - 1) - exponent)


def significant_digits(value: float) -> int:
    """Return how many digits the shortest writing of `value` has: 3 for 9.68, 2 for 62.0."""
    digits = f"{abs(value):.15g}".split("e")[0].replace(".", "").lstrip("0")
    return max(len(digits), 1)


def _alike(unit: Unit) -> list[str]:
    return [name for name, other in UNITS.items() if other.dimension == unit.dimension]


# ---- How much data a link can pass, from the bit rate that it was negotiated at.

CODED = {"ata": 0.8}
"""Share of the line's bits that are data: SATA sends ten bits for each byte (8b/10b, Serial ATA 3.x, link
layer). Others are taken at their full rate, which errs towards a faster link."""


def link_bytes_per_s(*, interface: str, bridged: bool, bits_per_s: float) -> float:
    """Return the most bytes that pass in a second; the speed of a bridged disk's link is the bridge's own."""
    share = 1.0 if bridged else CODED.get(interface, 1.0)
    return share * bits_per_s / 8
