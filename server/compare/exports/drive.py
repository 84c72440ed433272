"""What simulators need to know of a drive, as it was measured."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import accumulate


@dataclass(frozen=True, slots=True)
class Zone:
    """Neighbouring cylinders whose tracks hold equally many blocks."""

    cylinders: int
    track_blocks: int
    head_gap_ms: float
    """Lost between two tracks of a cylinder, beside the turn."""
    cylinder_gap_ms: float
    """Lost between two cylinders."""
    mb_per_s: float
    """Sequential bandwidth as it was measured, 10^6 bytes per second."""


@dataclass(frozen=True, slots=True)
class SeekCurve:
    """Seek time over cylinders: `base + root * sqrt(d)` below the knee, a line from there to the full stroke
    (Ruemmler and Wilkes, An introduction to disk drive modeling, 1994)."""

    one_cylinder_ms: float
    base_ms: float
    root_ms: float
    knee_cylinders: int
    full_stroke_ms: float
    cylinders: int

    @property
    def knee_ms(self) -> float:
        """Seek time at the knee."""
        return self.base_ms + self.root_ms * math.sqrt(self.knee_cylinders)

    @property
    def ms_per_cylinder(self) -> float:
        """Slope beyond the knee."""
        return (self.full_stroke_ms - self.knee_ms) / max(self.cylinders - 1 - self.knee_cylinders, 1)


@dataclass(frozen=True, slots=True)
class Buffer:
    """The drive's buffer as reads of the same blocks show it."""

    request_ms: float
    """Of a request that the buffer answers, beside the transfer."""
    bytes_per_s: float
    segment_kib: int
    """What the largest request held that was answered from it."""


@dataclass(frozen=True, slots=True)
class MeasuredDrive:
    """A drive model by what was measured. Times in ms, sizes as named."""

    title: str
    vendor: str
    number: str
    interface: str
    """`ata` or `scsi`, as far as it is known."""
    form_factor: str
    provenance: str
    origin: tuple[str, ...]
    """Sentences that say what the numbers rest on."""
    block_bytes: int
    capacity_bytes: int
    rotation_ms: float
    surfaces: int
    zones: tuple[Zone, ...]
    seek: SeekCurve
    write_overhead_ms: float
    """From the request to the medium and back, without the transfer (Skippy equation 1: MTM)."""
    read_overhead_ms: float
    access_ms: float | None
    """Mean time of a random access, where it was measured."""
    buffer: Buffer
    assumed: tuple[str, ...]
    """Sentences: what no benchmark measures, and what was put in its place."""

    @property
    def head_switch_ms(self) -> float:
        """Time to another head, at most the gap that tracks are laid out for. It is no longer than a seek of
        one cylinder, which SEEKER measures to whichever head comes."""
        return min(*(zone.head_gap_ms for zone in self.zones), self.seek.one_cylinder_ms)

    @property
    def cylinders(self) -> int:
        """Of all zones."""
        return sum(zone.cylinders for zone in self.zones)

    @property
    def rpm(self) -> float:
        """Turns in a minute."""
        return 60_000.0 / self.rotation_ms

    @property
    def first_cylinders(self) -> tuple[int, ...]:
        """The first cylinder of each zone."""
        return tuple(accumulate((zone.cylinders for zone in self.zones[:-1]), initial=0))

    @property
    def zone_blocks(self) -> tuple[int, ...]:
        """How many blocks each zone holds."""
        return tuple(zone.cylinders * zone.track_blocks * self.surfaces for zone in self.zones)
