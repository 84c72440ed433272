"""Samples by formula: a few imaginary drives, each in steps of speed. Extraction reads them like any others.

A drive here is no real one. Times are whole nanoseconds and carry no noise: what differs between the runs of
a sample archive is the step (`Level`), chosen for each run by its model, batch, unit and chance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Part = dict[str, Any]
BLOCK_BYTES = 512
STEP = 0.004
"""How much longer a level's transfers take than those of the level below, as a fraction."""
MOST_LEVEL = 30
TURN_STEPS = 6
"""So many levels share one speed of rotation, which units hardly differ in."""
TURN_STEP = 0.0001


@dataclass(frozen=True, slots=True)
class Archetype:
    """An imaginary drive."""

    rpm: int
    outer_mb_per_s: float
    inner_share: float
    """Inner over outer rate."""
    zones: int
    capacity_gb: int
    shortest_seek_ms: float
    full_stroke_ms: float
    form_factor: str
    interface: str

    @property
    def blocks(self) -> int:
        """Blocks of the whole drive."""
        return self.capacity_gb * 10**9 // BLOCK_BYTES

    def rate_mb_per_s(self, place: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the rate at places from 0 (outer edge) to 1, in steps of zones."""
        zone = np.minimum(np.floor(place * self.zones), self.zones - 1) / max(self.zones - 1, 1)
        rates: npt.NDArray[np.float64] = self.outer_mb_per_s * (1 - (1 - self.inner_share) * zone)
        return rates

    def turn_ns(self, level: int) -> int:
        """Time of a turn."""
        return round(60e9 / self.rpm * (1 + TURN_STEP * (level // TURN_STEPS)))


ARCHETYPES = (
    Archetype(5400, 5.2, 0.62, 5, 2, 2.9, 21.0, "3.5 inch", "scsi"),
    Archetype(7200, 9.6, 0.66, 8, 4, 1.9, 17.5, "3.5 inch", "scsi"),
    Archetype(5400, 33.0, 0.55, 10, 60, 1.7, 19.0, "2.5 inch", "ata"),
    Archetype(7200, 61.0, 0.53, 12, 160, 1.3, 17.0, "3.5 inch", "ata"),
    Archetype(10000, 86.0, 0.64, 9, 147, 0.6, 9.6, "3.5 inch", "scsi"),
    Archetype(15000, 122.0, 0.66, 8, 300, 0.4, 7.2, "2.5 inch", "scsi"),
    Archetype(5400, 104.0, 0.48, 14, 500, 1.6, 20.0, "2.5 inch", "ata"),
    Archetype(7200, 131.0, 0.49, 14, 1000, 1.1, 17.2, "3.5 inch", "ata"),
    Archetype(7200, 152.0, 0.46, 16, 2000, 0.9, 16.4, "3.5 inch", "scsi"),
    Archetype(5900, 147.0, 0.47, 16, 4000, 1.3, 19.5, "3.5 inch", "ata"),
    Archetype(7200, 210.0, 0.45, 18, 8000, 0.8, 15.8, "3.5 inch", "ata"),
    Archetype(7200, 268.0, 0.44, 18, 20000, 0.7, 15.2, "3.5 inch", "ata"),
)


def zoned(drive: Archetype, level: int) -> Part:
    """Return samples of the rate over the whole device, at equal distances."""
    regions, length = 48, 4096
    offsets = np.linspace(0, drive.blocks - length, regions).astype(np.int64)
    elapsed = _reading_ns(drive, offsets / drive.blocks, length, level)
    series = {"repeat": 0, **_columns(offsets, length, elapsed)}
    params = {"block_bytes": BLOCK_BYTES, "mode": "sampled", "transfer_blocks": 2048}
    return _part("zoned", params, [series], int(elapsed.sum()))


def positional(drive: Archetype, level: int) -> Part:
    """Return three samples each at the outer, middle and inner position."""
    length = 61440
    starts = {
        "outer": 0,
        "middle": drive.blocks // 2,
        "inner": drive.blocks - max(drive.blocks // 128, length),
    }
    series, total = [], 0
    for position, start in starts.items():
        offsets = np.full(3, start, dtype=np.int64)
        elapsed = _reading_ns(drive, offsets / drive.blocks, length, level) + np.array([0, 90_000, 210_000])
        series.append({"position": position, **_columns(offsets, length, elapsed)})
        total += int(elapsed.sum())
    params = {
        "block_bytes": BLOCK_BYTES,
        "sample_ns": 100_000_000,
        "samples_per_position": 3,
        "transfer_blocks": 4096,
    }
    return _part("positional", params, series, total)


def access(drive: Archetype, level: int) -> Part:
    """Return single blocks all over the device, rates at equal distances and by position, and bursts."""
    slower = 1 + STEP * level
    number = np.arange(120)
    places = (number * 0.6180339887) % 1.0
    seek = _seek_ms(drive, np.abs(np.diff(places, prepend=0.5)))
    wait = (number * 0.7548776662) % 1.0 * drive.turn_ns(level) / 1e6
    random = {
        "pattern": "random",
        "processors": None,
        **_columns((places * (drive.blocks - 1)).astype(np.int64), 1, ((seek + wait) * slower * 1e6).round()),
    }
    sample_ns, transfer = 300_000_000, 128
    longest = int(_blocks_read(drive, np.zeros(1), sample_ns, transfer, level)[0])
    spread = np.linspace(0, drive.blocks - longest, 17).astype(np.int64)
    marks = np.array([2.75 + 12.5 * step for step in range(8)] + [100.0]) / 100
    positions = np.minimum(marks * drive.blocks, drive.blocks - longest).astype(np.int64)
    series: list[dict[str, Any]] = [random]
    for name, at in (("spread", spread), ("positions", positions)):
        length = _blocks_read(drive, at / drive.blocks, sample_ns, transfer, level)
        elapsed = _reading_ns(drive, at / drive.blocks, length, level)
        series.append({"pattern": name, "processors": None, **_columns(at, length, elapsed)})
    burst_ns = np.full(40, round(61_000 * slower))
    at = np.full(40, drive.blocks // 3, dtype=np.int64)
    series.append({"pattern": "burst", "processors": None, **_columns(at, 1, burst_ns)})
    params = {
        "block_bytes": BLOCK_BYTES,
        "buffer_tries": 3,
        "largest_buffer_blocks": 262144,
        "sample_ns": sample_ns,
        "transfer_blocks": transfer,
    }
    return _part("access", params, series, sum(sum(entry["elapsed_ns"]) for entry in series))


def seeker(drive: Archetype, level: int) -> Part:
    """Return seeks outward over ten distances and back, and within a track."""
    turn_ns = drive.turn_ns(level)
    track = _track_blocks(drive)
    turns = np.linspace(0, 2, 23)[:-1]
    distances = np.geomspace(1e-5, 0.999, 10)
    base = track * 40
    near = {"from": [base] * 22, "to": (base + 1 + turns * track).astype(int).tolist(), "group": [0] * 22}
    near["latency"] = _timed(turn_ns, 0.0, turns)
    out: dict[str, list[int]] = {"from": [], "to": [], "group": [], "latency": []}
    for group, distance in enumerate(distances):
        first = int(min(base + distance * drive.blocks, drive.blocks - 3 * track))
        out["from"] += [base] * 22
        out["to"] += (first + turns * track).astype(int).tolist()
        out["group"] += [group] * 22
        out["latency"] += _timed(turn_ns, float(_seek_ms(drive, np.array([distance]))[0]), turns)
    back = {**out, "from": out["to"], "to": out["from"]}
    series: list[dict[str, Any]] = [
        {
            "variant": "read",
            "pattern": pattern,
            "group": columns["group"],
            "from_blocks": columns["from"],
            "to_blocks": columns["to"],
            "latency_ns": columns["latency"],
        }
        for pattern, columns in (("baseline", near), ("outward", out), ("inward", back))
    ]
    params = {
        "block_bytes": BLOCK_BYTES,
        "rotation_estimate_ns": turn_ns,
        "turns": 2,
        "track_blocks_estimate": track,
    }
    return _part("seeker", params, series, sum(sum(entry["latency_ns"]) for entry in series))


def skippy(drive: Archetype, level: int) -> Part:
    """Return SKIPPY's sawtooth over three tracks, without switches of head or cylinder."""
    turn_ns, track = drive.turn_ns(level), min(_track_blocks(drive), 160)
    steps = np.arange(int(track * 2.2))
    wait = (steps + 1) * turn_ns // track % turn_ns
    media_ns = 1_900_000 % turn_ns
    latency = np.where(wait < media_ns, wait + turn_ns, wait)
    series = {
        "variant": "read",
        "region": "outer",
        "pattern": "increasing",
        "repeat": 0,
        "start_block": 0,
        "step_blocks": steps.tolist(),
        "offset_blocks": np.cumsum(steps + 1).tolist(),
        "latency_ns": latency.tolist(),
    }
    params = {"block_bytes": BLOCK_BYTES, "rotation_estimate_ns": turn_ns, "repeats": 1}
    return _part("skippy", params, [series], int(latency.sum()))


FORMULAS: dict[str, Callable[[Archetype, int], Part]] = {
    "skippy": skippy,
    "zoned": zoned,
    "seeker": seeker,
    "positional": positional,
    "access": access,
}
"""The kinds that a sample archive holds."""


def _blocks_read(
    drive: Archetype, places: npt.NDArray[np.float64], sample_ns: int, transfer: int, level: int
) -> npt.NDArray[np.int64]:
    """Return how many blocks whole transfers read from each place until a time has passed."""
    transfers = np.ceil(sample_ns / (transfer * _block_ns(drive, places, level)))
    blocks: npt.NDArray[np.int64] = transfers.astype(np.int64) * transfer
    return blocks


def _reading_ns(
    drive: Archetype, places: npt.NDArray[np.float64], blocks: int | npt.NDArray[np.int64], level: int
) -> npt.NDArray[np.int64]:
    return np.ceil(blocks * _block_ns(drive, places, level)).astype(np.int64)


def _block_ns(drive: Archetype, places: npt.NDArray[np.float64], level: int) -> npt.NDArray[np.float64]:
    return BLOCK_BYTES / (drive.rate_mb_per_s(places) * 1e6) * 1e9 * (1 + STEP * level)


def _seek_ms(drive: Archetype, share: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return drive.shortest_seek_ms + (drive.full_stroke_ms - drive.shortest_seek_ms) * np.sqrt(share)


def _track_blocks(drive: Archetype) -> int:
    return round(drive.outer_mb_per_s * 1e6 / BLOCK_BYTES * 60 / drive.rpm)


def _timed(turn_ns: int, seek_ms: float, turns: npt.NDArray[np.float64]) -> list[int]:
    """Return latencies of accesses that arrive after a seek and wait for their block."""
    arrive = (seek_ms * 1e6 + 400_000) / turn_ns
    wait = (turns - arrive) % 1.0
    return [round(float(value)) for value in (arrive + wait) * turn_ns]


def _columns(
    offsets: npt.NDArray[np.int64], length: int | npt.NDArray[np.int64], elapsed: npt.NDArray[Any]
) -> dict[str, list[int]]:
    return {
        "offset_blocks": offsets.tolist(),
        "length_blocks": np.broadcast_to(length, offsets.shape).tolist(),
        "elapsed_ns": elapsed.astype(np.int64).tolist(),
    }


def _part(kind: str, params: dict[str, Any], series: list[dict[str, Any]], elapsed_ns: int) -> Part:
    return {
        "kind": kind,
        "version": 1,
        "params": params,
        "samples": {"series": series},
        "elapsed_ns": elapsed_ns,
        "interference": {"foreign_requests": 0, "involuntary_context_switches": 0},
        "errors": [],
    }
