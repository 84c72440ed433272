"""What simulators need to know of a drive, as it was measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate


class ExportError(ValueError):
    """A drive that can't be exported; `reasons` are sentences for a person."""

    def __init__(self, reasons: Sequence[str]) -> None:
        super().__init__(" ".join(reasons))
        self.reasons = tuple(reasons)


@dataclass(frozen=True, slots=True)
class Identity:
    """What is known of the model beside its numbers."""

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


TWO_CYLINDERS = 1.4
"""A little under the root of two, so that files may round."""
TOO_LATE = 1.1
"""A switch that misses the next track is taken to be by so much longer than the gap."""


@dataclass(frozen=True, slots=True)
class Zone:
    """Neighbouring cylinders whose tracks hold equally many blocks."""

    cylinders: int
    track_blocks: int
    head_gap_ms: float
    """From the last block of a track to the first of the next one of the cylinder."""
    cylinder_gap_ms: float
    """The same between two cylinders."""
    mb_per_s: float
    """Sequential bandwidth as it was measured, 10^6 bytes per second."""


@dataclass(frozen=True, slots=True)
class SeekCurve:
    """Seek time of a read over cylinders: `base + root * sqrt(d)` below the knee, a line from there to the
    full stroke (Ruemmler and Wilkes, An introduction to disk drive modeling, 1994)."""

    next_ms: float
    """To whichever head comes on the next cylinder."""
    base_ms: float
    root_ms: float
    knee_cylinders: int
    full_stroke_ms: float
    cylinders: int

    @property
    def one_cylinder_ms(self) -> float:
        """Seek over one cylinder, which is no longer than that over two."""
        return min(self.next_ms, self.base_ms + self.root_ms * TWO_CYLINDERS)

    @property
    def knee_ms(self) -> float:
        return self.base_ms + self.root_ms * math.sqrt(self.knee_cylinders)

    @property
    def ms_per_cylinder(self) -> float:
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

    identity: Identity
    rotation_ms: float
    surfaces: int
    zones: tuple[Zone, ...]
    spares: int
    """Places of each track that carry no block: they are in the gaps too."""
    misses_heads: bool
    """Whether reading on over a head switch comes too late for the next track."""
    seek: SeekCurve
    write_settle_ms: float
    """By so much a write's seek or head switch is longer than a read's."""
    write_overhead_ms: float
    """From the request to the medium and back, without the transfer (Skippy equation 1: MTM)."""
    read_overhead_ms: float
    access_ms: float | None
    """Mean time of a random access, where it was measured."""
    buffer: Buffer
    assumed: tuple[str, ...]
    """Sentences: what no benchmark measures, and what was put in its place."""

    @property
    def head(self) -> tuple[str, ...]:
        """What stands at the head of every export: the drive, what it rests on, and what was assumed."""
        assumed = (f"Assumed: {sentence}" for sentence in self.assumed)
        return (f"{self.identity.title}, as measured.", *self.identity.origin, *assumed)

    def skews_ms(self, zone: Zone) -> tuple[float, float]:
        """Return by how much tracks of a zone are turned against each other, within a cylinder and from one
        to the next: the gaps without the spares in them."""
        spare_ms = self.spares * self.rotation_ms / (zone.track_blocks + self.spares)
        return zone.head_gap_ms - spare_ms, zone.cylinder_gap_ms - spare_ms

    @property
    def head_switch_ms(self) -> float:
        """Time of a read to another head, which is no longer than the way to whichever head comes on the next
        cylinder. A write's is at most the gap that tracks are laid out for, unless reading on comes too late
        for the next track."""
        gaps = [zone.head_gap_ms for zone in self.zones]
        if self.misses_heads:
            return max(max(gaps) * TOO_LATE, self.seek.next_ms)
        return max(min(min(gaps) - self.write_settle_ms, self.seek.next_ms), 0.0)

    @property
    def cylinders(self) -> int:
        return sum(zone.cylinders for zone in self.zones)

    @property
    def rpm(self) -> float:
        return 60_000.0 / self.rotation_ms

    @property
    def first_cylinders(self) -> tuple[int, ...]:
        return tuple(accumulate((zone.cylinders for zone in self.zones[:-1]), initial=0))

    @property
    def zone_blocks(self) -> tuple[int, ...]:
        return tuple(zone.cylinders * zone.track_blocks * self.surfaces for zone in self.zones)
