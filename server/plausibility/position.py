"""The place: on a turning disk a longer way takes longer, and an outer track passes more bytes than an
inner one."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from server.core.robust import median, quartile_range, rank_correlation
from server.plausibility.access_patterns import scattered
from server.plausibility.check import Check, Result, judged, not_applicable
from server.plausibility.evidence import TURN_SLOWEST_NS, Evidence
from server.plausibility.rotation import NO_TURN
from server.stats.effect import shift_interval

ENOUGH_READS = 80
WAY = 0.2
ENOUGH_PLACES = 16
SPAN = 0.5
LONG_NS = 20e6
VARIES = 0.05
BY_PLACE = 0.3
BY_PLACE_OF_FEW = 0.15
MANY_PLACES = 100
FALLS = 1.1
FALL_LEVEL, FALL_SAMPLES = 0.99, 50
"""Of the interval of how far rates fall; so many samples of an end are enough for it."""
LINK_SHARE = 0.6
FIRST_SATA_BITS_PER_S = 1.5e9
INNER_MB_PER_S = 400.0
OF_TURN_NS = 60e9 / 7200
LARGE_BYTES = 1 << 20
SIZED_BYTES = 1 << 18
SIZES_SPAN = 8
BY_SIZE = 0.8


@dataclass(frozen=True)
class Profile:
    """Rates of transfers of one length, or of one time, over the device, ordered by place."""

    name: str
    positions: NDArray[np.float64]
    mb_per_s: NDArray[np.float64]
    median_ns: float
    """What such a transfer takes."""

    @cached_property
    def varies(self) -> float:
        """Distance between the quartiles over the median."""
        return quartile_range(self.mb_per_s) / median(self.mb_per_s)

    @cached_property
    def by_position(self) -> float:
        """How far the rates follow the place or at least the neighbour: the greater rank correlation of
        the two."""
        way = abs(rank_correlation(self.positions, self.mb_per_s))
        return max(way, rank_correlation(self.mb_per_s[:-1], self.mb_per_s[1:]))

    @property
    def least(self) -> float:
        """How far they have to: less where a few disturbances weigh more."""
        return BY_PLACE if self.mb_per_s.size >= MANY_PLACES else BY_PLACE_OF_FEW

    @property
    def ends(self) -> tuple[float, float]:
        """Median rate of the outermost and of the innermost third: of a few samples disturbances make the
        median."""
        outer, inner = self._thirds
        return median(outer), median(inner)

    @property
    def _thirds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        third = self.mb_per_s.size // 3
        return self.mb_per_s[:third], self.mb_per_s[-third:]

    @cached_property
    def most_fall(self) -> float:
        """How many times as fast the outermost third may be as the innermost at most (Hodges and Lehmann's
        interval of the logarithms): of a few, chance says which ones other work delayed."""
        outer, inner = (np.log(rates[:: -(-rates.size // FALL_SAMPLES)]) for rates in self._thirds)
        shift = shift_interval(outer, inner, FALL_LEVEL)
        return math.inf if shift is None else math.exp(shift.high)


def profiles(evidence: Evidence, least_ns: float = LONG_NS) -> Iterator[Profile]:
    """Return the rates of what was transferred at many places, for `least_ns` or longer each."""
    found: dict[str, list[NDArray[np.float64]]] = defaultdict(list)
    for series in evidence.series:
        if (
            series.positions is None
            or series.blocks is None
            or not evidence.on_medium(series)
            or series.at_once > 1
        ):
            continue
        sizes = series.blocks * evidence.device["block_bytes"]
        long = (series.times_ns >= max(least_ns, 1.0)) & (sizes >= LARGE_BYTES / 2)
        name = f"{series.kind} {series.words.get('variant', '')}".strip()
        timed = evidence.sample_ns(series.kind) is not None
        times_ns = series.times_ns[long]
        rows = np.stack((series.positions[long], sizes[long] / times_ns * 1e3, times_ns))
        for size in [None] if timed else dict.fromkeys(sizes[long].tolist()):
            of_length = name if size is None else f"{name} {size} bytes"
            found[of_length].append(rows if size is None else rows[:, sizes[long] == size])
    for name, pieces in found.items():
        together = np.concatenate(pieces, axis=1)
        positions, rates, times_ns = together[:, np.lexsort(together[::-1])]
        far = bool(positions.size) and positions[-1] - positions[0] >= SPAN * evidence.blocks
        if far and np.unique(positions).size >= ENOUGH_PLACES:
            yield Profile(name, positions, rates, median(times_ns))


def longer_way(evidence: Evidence) -> Result:
    """Look whether scattered reads take longer the further the head has to go."""
    if not evidence.rotating:
        return not_applicable(NO_TURN)
    rows = [row for row in scattered(evidence) if row.times_ns.size >= ENOUGH_READS]
    if not rows:
        return not_applicable(
            f"No {ENOUGH_READS} reads of single places all over the device, one after the other."
        )
    kinds: dict[str, list[tuple[float, int]]] = {}
    for row in rows:
        way = rank_correlation(row.distances, row.times_ns)
        kinds.setdefault(row.name.split(" ")[0], []).append((way, row.times_ns.size))
    ways = {
        kind: round(sum(way * count for way, count in found) / sum(count for _, count in found), 3)
        for kind, found in kinds.items()
    }
    findings = [
        f"{kind}: latency and distance agree by {way:.2f} (rank correlation), of at least {WAY}."
        for kind, way in ways.items()
        if way < WAY
    ]
    return judged(
        findings, f"The longer way takes longer (rank correlation {min(ways.values()):.2f}).", **ways
    )


def rate_by_position(evidence: Evidence) -> Result:
    """Look whether rates that vary vary with the place."""
    if not evidence.rotating:
        return not_applicable(NO_TURN)
    found = list(profiles(evidence))
    if not found:
        return not_applicable("No long transfers at many places over the device.")
    turn_ns = evidence.turn.ns if evidence.turn else TURN_SLOWEST_NS
    figures = {
        profile.name: {"varies": round(profile.varies, 4), "by_place": round(profile.by_position, 3)}
        for profile in found
    }
    findings = [
        f"{profile.name}: the rates' quartiles lie {100 * profile.varies:.0f} % apart, but follow neither "
        "the place nor "
        f"their neighbours (rank correlation {profile.by_position:.2f}, of at least {profile.least})."
        for profile in found
        if profile.varies > VARIES + turn_ns / profile.median_ns and profile.by_position < profile.least
    ]
    return judged(findings, "The rates follow the place, or hardly vary.", **figures)


def rate_falls_inward(evidence: Evidence) -> Result:
    """Look for the zones of a disk that its link does not hold up."""
    device = evidence.device
    link = device["link_speed_bits_per_s"] or 0
    if not evidence.rotating:
        return not_applicable(NO_TURN)
    if device["interface"] not in ("ata", "scsi") or device.get("bridge") or link < FIRST_SATA_BITS_PER_S:
        return not_applicable("Not on a serial link of 1.5 Gbit/s or more without a bridge.")
    found = [profile for profile in profiles(evidence) if max(profile.ends) < LINK_SHARE * link * 0.8 / 8e6]
    if not found:
        return not_applicable("No long transfers over the device, or the link holds them up.")
    ratios = {profile.name: round(profile.ends[0] / profile.ends[1], 3) for profile in found}
    findings = [
        f"{profile.name}: the outer edge is {ratios[profile.name]:.2f} times as fast as the inner one, at "
        f"most {profile.most_fall:.2f} times, of at least {FALLS}."
        for profile in found
        if ratios[profile.name] < FALLS and profile.most_fall < FALLS
    ]
    return judged(findings, "The rate falls from the outer to the inner edge.", outer_over_inner=ratios)


def medium_rate(evidence: Evidence) -> Result:
    """Compare the slowest part of the device with what a disk's inner tracks can deliver."""
    if not evidence.rotating:
        return not_applicable(NO_TURN)
    slowest = {profile.name: round(min(profile.ends), 1) for profile in profiles(evidence, least_ns=0.0)}
    if not slowest:
        return not_applicable("No large transfers at many places over the device.")
    turn_ns = evidence.turn.ns if evidence.turn else OF_TURN_NS
    most = INNER_MB_PER_S * min(OF_TURN_NS / turn_ns, 1.0)
    findings = [
        f"{name}: even its slowest end delivers {rate:.0f} MB/s, more than the {most:.0f} MB/s of any disk "
        "that turns so fast."
        for name, rate in slowest.items()
        if rate > most
    ]
    return judged(
        findings, (f"The slowest end delivers {min(slowest.values()):.1f} MB/s."), slowest_mb_per_s=slowest
    )


def more_bytes(evidence: Evidence) -> Result:
    """Look whether larger transfers take longer."""
    rows: dict[str, list[tuple[float, float]]] = {}
    for series in evidence.series:
        if (
            series.blocks is None
            or series.positions is None
            or ("requests") in series.columns
            or series.at_once > 1
        ):
            continue
        sizes = series.blocks * evidence.device["block_bytes"]
        large = sizes >= SIZED_BYTES
        cache = (
            {True: "cached", False: "not cached", None: ""}[evidence.write_cache(series)]
            if series.writes
            else ""
        )
        name = " ".join(filter(None, (series.kind, str(series.words.get("variant", "")), cache)))
        rows.setdefault(name, []).extend(
            zip(sizes[large].tolist(), series.times_ns[large].tolist(), strict=True)
        )
    agreed = {}
    for name, points in rows.items():
        table = np.array(points, dtype=np.float64).reshape(-1, 2)
        if len(points) >= ENOUGH_PLACES and table[:, 0].max() >= SIZES_SPAN * table[:, 0].min():
            agreed[name] = round(rank_correlation(table[:, 0], table[:, 1]), 3)
    if not agreed:
        return not_applicable("No large transfers of many sizes.")
    findings = [
        f"{name}: size and time agree by {way:.2f} (rank correlation), of at least {BY_SIZE}."
        for name, way in agreed.items()
        if way < BY_SIZE
    ]
    return judged(
        findings, (f"More bytes take longer (rank correlation {min(agreed.values()):.2f})."), **agreed
    )


LONGER_WAY = Check(
    key="longer_way",
    title="A longer way takes longer",
    question="Do scattered reads take longer the further the head has to go?",
    limit=(
        f"Rank correlation of {WAY}, from {ENOUGH_READS} reads on. Without any order 100 reads give 0.0 +/- "
        "0.1."
    ),
    because=(
        "An arm needs longer for a longer way (Skippy, SEEKER). The wait for the platter, which depends on "
        "no distance, "
        "is about as large as the seeks differ, so the correlation of a disk lies near 0.6."
    ),
    remedy="Look for a controller that answers from its own memory, and for two actuators behind one device.",
    judge=longer_way,
)
RATE_BY_PLACE = Check(
    key="rate_by_place",
    title="Rates vary with the place",
    question=(
        "Where the rates of long transfers vary over the device: do they follow the place, or their "
        "neighbours?"
    ),
    limit=(
        f"Quartiles further apart than {100 * VARIES:.0f} % of the median and one turn of the time that a "
        "transfer takes, "
        f"and both rank correlations below {BY_PLACE} (below {BY_PLACE_OF_FEW} for fewer than {MANY_PLACES} "
        "transfers). Transfers of 20 ms and more, of one length or of one "
        "time."
    ),
    because=(
        "Zones are made of neighbouring tracks. What varies without regard to the place is a disturbance or "
        "an invention."
    ),
    remedy="Measure on an idle machine, and look at the disk's errors: weak areas are slow without order.",
    judge=rate_by_position,
)
RATE_FALLS_INWARD = Check(
    key="rate_falls_inward",
    title="The outer edge is faster",
    question="On a serial link that is not the bottleneck: is the outer edge faster than the inner one?",
    limit=(
        f"{FALLS} times, by the upper end of an interval at {100 * FALL_LEVEL:.0f} %, where the fastest end "
        f"needs less than {100 * LINK_SHARE:.0f} % of the link."
    ),
    because=(
        "All disks with a serial link are zoned: outer tracks are longer and hold more. Older ones without "
        "zones have "
        "parallel links, and a bridge may hold up every zone."
    ),
    remedy="Look for a slow adapter or for a link that fell back to a lower speed while it was measured.",
    judge=rate_falls_inward,
)
MEDIUM_RATE = Check(
    key="medium_rate",
    title="No disk's inner tracks are that fast",
    question="Is the slower end of a turning device within what a medium can deliver there?",
    limit=f"{INNER_MB_PER_S:.0f} MB/s at 7200 rpm and above, less in proportion where the disk turns slower.",
    because=(
        "A track's bytes pass in one turn. The fastest disks reach 300 MB/s at the outer edge with one "
        "actuator, half of "
        "that inside; two actuators double it. Solid-state samples under a disk's name lie above on their "
        "slowest part."
    ),
    remedy="If disks have become that fast, raise the limit with a source.",
    judge=medium_rate,
)
MORE_BYTES = Check(
    key="more_bytes",
    title="More bytes take longer",
    question="Where transfers of 256 KiB and more differ in size eightfold: do larger ones take longer?",
    limit=f"Rank correlation of {BY_SIZE}.",
    because=(
        "The larger a transfer, the more of its time is the transfer itself; a wait of a turn or two mixes "
        "up the smallest only."
    ),
    remedy="None: measure again.",
    judge=more_bytes,
)
CHECKS = (LONGER_WAY, RATE_BY_PLACE, RATE_FALLS_INWARD, MEDIUM_RATE, MORE_BYTES)
