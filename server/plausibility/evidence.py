"""What the checks may look at: a run's document and numbers, its model, and the model's other units. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

import numpy as np

from server.catalog.files import RotationRating, rotation_ratings
from server.core.robust import median
from server.plausibility.columns import Integers, Timed, timed

TURN_FASTEST_NS = 4_000_000.0
"""One turn at 15,000 rpm. No faster spindle was sold in a hard disk, so no wait of a turn is shorter."""
TURN_SLOWEST_NS = 16_666_667.0
"""One turn at 3,600 rpm, the slowest rate at which disks with these interfaces turned."""
USABLE = ("good", "fair")
PEERS_FOR_A_RATE = 3
"""Units whose median rotation stands in where neither the device nor the catalogue says how fast it turns."""
ROTATION_RATE = ".rotation_rate"
RATED_TOLERANCE = 0.01
"""A spindle is a motor locked to a crystal: it keeps its rate within a few tenths of a per cent under any
load, and makers' ratings are rounded by as much."""
PEERS_TOLERANCE = 0.05
"""Where other units stand in for a rating."""


def nobody_reputable(_keyids: Iterable[str]) -> frozenset[str]:
    """Return no key: what evidence without an archive behind it knows of keys."""
    return frozenset()


@dataclass(frozen=True, slots=True)
class Number:
    """One extracted number of a run."""

    metric: str
    scope: str
    value: float
    low: float | None
    high: float | None
    quality: str
    unit: str = ""
    title: str = ""
    headline: bool = False


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What the catalogue says of the model."""

    title: str
    curated: bool = False
    capacity_bytes: int | None = None
    capacity_tolerance: float = 0.01
    rated_rpm: float | None = None


@dataclass(frozen=True, slots=True)
class PeerUnit:
    """Another unit of the model under comparable conditions: one value per metric and scope, its runs'
    median."""

    name: str
    """The beginning of the unit's digest, or that of the key where its runs do not tell their unit."""
    keyids: tuple[str, ...]
    values: Mapping[tuple[str, str], float]


@dataclass(frozen=True, slots=True)
class Copy:
    """Samples of an earlier run that this run's equal."""

    kind: str
    run_id: str
    exact: bool
    median_difference_ns: float


@dataclass(frozen=True, slots=True)
class Request:
    """The challenge under which a run says that it was measured."""

    nonce: str
    issued_at: datetime | None
    """None where the nonce is not of this archive."""
    used_by: str = ""
    """Another run that came under the same one."""


@dataclass(frozen=True, slots=True)
class Turn:
    """How long a turn takes and who says so."""

    ns: float
    source: str
    tolerance: float = RATED_TOLERANCE
    """How far a measured turn may be off, as a share."""

    @property
    def words(self) -> str:
        """The turn for a sentence."""
        return f"{self.ns / 1e6:.3f} ms ({60e9 / self.ns:.0f} rpm, {self.source})"


def known_rating(rpm: float) -> RotationRating | None:
    """Return the catalogue's rating that a rate is, within what ratings are rounded by."""
    near = [one for one in rotation_ratings() if abs(one.rpm - rpm) <= RATED_TOLERANCE * one.rpm]
    return min(near, key=lambda one: abs(one.rpm - rpm), default=None)


@dataclass(frozen=True)
class Evidence:
    """All that is known when a run is assessed."""

    document: Mapping[str, Any]
    numbers: tuple[Number, ...]
    model: ModelFacts
    peers: tuple[PeerUnit, ...] = ()
    unlike_peers: int = 0
    """Other units of the model that were measured under other conditions."""
    keyid: str = ""
    copies: tuple[Copy, ...] = ()
    received_at: datetime | None = None
    request: Request | None = None
    """None where no archive asked for the run."""
    reputable_among: Callable[[Iterable[str]], frozenset[str]] = nobody_reputable
    """Tells which of some keys have a reputation, and is asked only where a finding hangs on it."""

    @property
    def device(self) -> Mapping[str, Any]:
        """The document's `device`."""
        device: Mapping[str, Any] = self.document["device"]
        return device

    @property
    def simulated(self) -> bool:
        """Whether a mechanical model stood in for the disk."""
        return bool(self.document["provenance"] == "simulated")

    @property
    def imported(self) -> bool:
        """Whether the samples were read from another tool's output."""
        return bool(self.document["provenance"] == "imported")

    @property
    def blocks(self) -> int:
        """The device's capacity in blocks."""
        return int(self.device["capacity_bytes"] // self.device["block_bytes"])

    @cached_property
    def parts(self) -> tuple[Mapping[str, Any], ...]:
        """The benchmarks that were measured."""
        return tuple(part for part in self.document["benchmarks"] if "skipped" not in part)

    @cached_property
    def series(self) -> tuple[Timed, ...]:
        """Every timed object of every benchmark."""
        return tuple(found for part in self.parts for found in timed(part))

    @cached_property
    def rotating(self) -> bool:
        """Whether the device is said to turn by somebody who can know: for virtual disks a kernel only
        assumes it."""
        assumed = self.device["interface"] in ("virtio", "loop") and not self._rate()
        return bool(self.device["rotational"]["value"]) and not assumed

    @cached_property
    def turn(self) -> Turn | None:
        """One turn, as the device, the catalogue or the model's other units say; None where nobody does."""
        found = self._rate() if self.rotating else None
        if found is None:
            return None
        rate, source, tolerance = found
        return Turn(60e9 / rate, source, tolerance)

    @cached_property
    def witnesses(self) -> tuple[PeerUnit, ...]:
        """The other units that a reputable key measured: digests of units are self-declared, so only
        these can speak against a run."""
        reputable = self.reputable_among({keyid for peer in self.peers for keyid in peer.keyids})
        return tuple(peer for peer in self.peers if reputable & set(peer.keyids))

    @cached_property
    def rotation_rates(self) -> tuple[Number, ...]:
        """The rates of rotation in rpm that were extracted for the whole drive, of whatever kind."""
        return tuple(
            number
            for number in self.numbers
            if number.metric.endswith(ROTATION_RATE) and not number.scope and number.quality in USABLE
        )

    def _rate(self) -> tuple[float, str, float] | None:
        if rate := self.device["rotation_rate_rpm"]:
            return self._turning_at(float(rate)), "as the device says", RATED_TOLERANCE
        if self.model.rated_rpm:
            return self._turning_at(self.model.rated_rpm), "as the catalogue says", RATED_TOLERANCE
        if len(self.peers) < PEERS_FOR_A_RATE:
            return None
        rates = [
            value
            for peer in self.witnesses
            for (metric, scope), value in peer.values.items()
            if metric.endswith(ROTATION_RATE) and not scope
        ]
        if len(rates) >= PEERS_FOR_A_RATE:
            return median(rates), f"median of {len(rates)} other units", PEERS_TOLERANCE
        return None

    def _turning_at(self, rated_rpm: float) -> float:
        """Return the rate that a rating stands for; of a class of several, the one nearest to what was
        measured."""
        rating = known_rating(rated_rpm)
        rates = (
            rating.turns_at(f"{self.device['vendor'] or ''} {self.device['model']}".strip()) if rating else ()
        )
        measured = [number.value for number in self.rotation_rates] + [
            60e9 / part["params"]["rotation_estimate_ns"]
            for part in self.parts
            if part["params"].get("rotation_estimate_ns")
        ]
        if rating is None or len(rates) < 2 or not measured:
            return rated_rpm
        nearest = min(rates, key=lambda rpm: abs(rpm - measured[0]))
        return rated_rpm if nearest == rating.rpm else nearest

    def sample_ns(self, kind: str) -> int | None:
        """How long the timed samples of a kind go on; None where it has none."""
        part = next(part for part in self.parts if part["kind"] == kind)
        found: int | None = part["params"].get("sample_ns")
        return found

    def on_medium(self, series: Timed) -> bool:
        """Whether a series' requests had to wait for the medium: reads, and writes that no cache takes."""
        return not series.writes or self.write_cache(series) is False

    def write_cache(self, series: Timed) -> bool | None:
        """The write cache's state while a series was measured, as the device says; None where nobody
        could tell."""
        if "write_cache" in series.words:
            return bool(series.words["write_cache"])
        part = next(part for part in self.parts if part["kind"] == series.kind)
        if caches := part.get("caches"):
            state: bool | None = caches["write"]
            return state
        during: bool | None = self.document["conditions"].get("write_cache_during")
        return during


# ---- What samples are recognised by when they come again under another run's name. Pure.

FIRST = 64
ENOUGH = 6
ENOUGH_NEAR = 20
NEAR_NS = 100.0
KEYS = 8
"""Times of the first that a trace is looked up by, evenly spread. Where half of the times lie near, all eight
of a pair differ with a probability of 0.4 % at most."""
_STEP_NS = int(2 * NEAR_NS)


@dataclass(frozen=True, slots=True)
class Trace:
    """One benchmark's samples, in short."""

    kind: str
    times_digest: str
    places_digest: str
    first_times_ns: tuple[int, ...]

    def near_ns(self, other_times_ns: Iterable[int]) -> float | None:
        """Return the median difference from another trace's first times; None where too few can be
        compared."""
        mine, other = np.asarray(self.first_times_ns), np.asarray(list(other_times_ns))
        if mine.size < ENOUGH_NEAR or mine.size != other.size:
            return None
        return median(np.abs(mine - other))

    def near_keys(self) -> list[int]:
        """Return what an index knows the trace by; nothing where it is too short to be compared."""
        return [self._key(index, self.first_times_ns[index] // _STEP_NS) for index in self._key_places()]

    def keys_sought(self) -> list[int]:
        """Return the keys of which a trace with near times has one, but for chance."""
        near = int(NEAR_NS)
        return [
            self._key(index, step)
            for index in self._key_places()
            for step in {(self.first_times_ns[index] + off) // _STEP_NS for off in (-near, near)}
        ]

    def _key_places(self) -> range:
        size = len(self.first_times_ns)
        return range(0, size, max(size // KEYS, 1))[:KEYS] if size >= ENOUGH_NEAR else range(0)

    def _key(self, index: int, step: int) -> int:
        """Return 63 bits of all that must be alike."""
        text = f"{self.kind} {self.places_digest} {index} {step}"
        return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest()) >> 1


def trace_of(part: Mapping[str, Any]) -> Trace | None:
    """Return the trace of one benchmark; None where it holds fewer than ENOUGH times."""
    found = timed(part)
    times = [series.times_ns for series in found]
    if sum(column.size for column in times) < ENOUGH:
        return None
    positions = [series.positions for series in found if series.positions is not None]
    first = np.concatenate(times)[:FIRST]
    return Trace(part["kind"], _digest(times), _digest(positions), tuple(first.tolist()))


def _digest(columns: Iterable[Integers]) -> str:
    digest = hashlib.sha256()
    for values in columns:
        digest.update(np.int64(values.size).tobytes())
        digest.update(values.astype("<i8").tobytes())
    return digest.hexdigest()
