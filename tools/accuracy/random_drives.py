"""Random drive files: everything a drive can be within reason, drawn from a seed."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

LAYOUTS = ("cylinder", "cylinder_serpentine", "surface_serpentine")
CYLINDER_LAYOUTS = LAYOUTS[:2]
BLOCKS = ((512, 512), (512, 512), (512, 4096), (4096, 4096))
"""Logical and physical block: 512n (twice as often), 512e, 4Kn."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A drive file and in a few words what is special about it."""

    name: str
    text: str
    words: str


def draw(number: int, seed: int) -> Drawn:
    """The drive file of this number; the same seed gives the same drives whatever their count."""
    random = Random(f"{seed}/{number}")
    rpm = random.choice([3600, 4200, 5400, 5900, 7200, 10000, 15000, round(random.uniform(3600, 15000), 1)])
    heads = random.randint(1, 20)
    layout = random.choice(LAYOUTS)
    logical, physical = random.choice(BLOCKS)
    zones = _zones(random, layout, heads, 60e3 / rpm, physical)
    # A stream of its own: what is drawn besides leaves all other numbers of a drive as they are.
    beside = Random(f"{seed}/{number}/defects")
    zones = [_with_defects(beside, zone, heads) for zone in zones] if layout in CYLINDER_LAYOUTS else zones
    cylinders = sum(zone.cylinders for zone in zones)
    parts = [
        "zones = [",
        *(f"  {zone.text}," for zone in zones),
        "]",
        _identity(number),
        _media(random, rpm, heads, logical, physical, layout),
        _seek(random, cylinders),
        _command(random, 60e3 / rpm),
        _caches(random),
        _spindle(beside),
    ]
    first = zones[0]
    words = (
        f"{layout}, {rpm} rpm, {heads} heads, {first.slots} sectors of {physical} B, "
        f"spares {first.spares[0]} per track and {first.spares[1]} per cylinder"
    )
    return Drawn(f"random-{seed}-{number}", "\n".join(parts) + "\n", words)


@dataclass(frozen=True, slots=True)
class _Zone:
    cylinders: int
    slots: int
    spares: tuple[int, int]
    text: str


def _zones(random: Random, layout: str, heads: int, turn_ms: float, physical: int) -> list[_Zone]:
    """Zones wide enough that most series stay in one; the number of sectors falls from zone to zone."""
    slots = round(60 * (2500 / 60) ** random.random())
    if physical == 4096:
        slots = max(60, slots // 4)
    count = random.choice([1, 1, 2, 3, 5, 9])
    per_track = random.choice([0, 0, 0, 1, 2, random.randint(1, 8)])
    # One head has no last track that differs from the others.
    with_spares = layout in CYLINDER_LAYOUTS and heads > 1
    per_cylinder = random.choice([0, 0, 1, 2, 5, random.randint(1, slots // 4)]) if with_spares else 0
    track_skew = random.uniform(0.4, 0.25 * turn_ms)
    cylinder_skew = random.uniform(0.4, 0.4 * turn_ms)
    band = f", band_skew_ms = {random.uniform(0.4, 0.3 * turn_ms):.4f}" if layout == LAYOUTS[2] else ""
    zones = []
    for index in range(count):
        here = round(slots * (1 - 0.5 * index / count))
        wide = random.randint(20_000, 60_000)
        text = (
            f"{{ cylinders = {wide}, sectors_per_track = {here}, track_skew_ms = {track_skew:.4f}, "
            f"cylinder_skew_ms = {cylinder_skew:.4f}, spares_per_track = {per_track}, "
            f"spares_per_cylinder = {per_cylinder}{band} }}"
        )
        zones.append(_Zone(wide, here, (per_track, per_cylinder), text))
    return zones


def _with_defects(random: Random, zone: _Zone, heads: int) -> _Zone:
    """Every third zone has spares at its end, with up to one slipped sector in three cylinders and a few that
    were remapped. One head has no cylinder to tell from a track."""
    if heads == 1 or random.random() > 1 / 3:
        return zone
    tracks = random.randint(2, 20)
    room = tracks * (zone.slots - zone.spares[0]) // 2
    # Where no nearer spares are, all of them end in the zone's.
    most = zone.cylinders // 3 if any(zone.spares) else min(room, zone.cylinders // 3)
    more = (
        f", spare_tracks = {tracks}, slipped_defects = {random.randint(0, most)}, "
        f"remapped_defects = {random.randint(0, min(room, 40))} }}"
    )
    return _Zone(zone.cylinders, zone.slots, zone.spares, zone.text.removesuffix(" }") + more)


def _spindle(random: Random) -> str:
    """Every third spindle wanders by a few hundredths of a per cent."""
    if random.random() > 1 / 3:
        return ""
    percent, period_s = random.uniform(0.005, 0.04), random.uniform(2, 200)
    return f"[spindle]\nwander_percent = {percent:.4f}\nwander_period_s = {period_s:.1f}"


def _identity(number: int) -> str:
    return f'[identity]\nvendor = "Random"\nmodel = "Drawn {number}"\ninterface = "scsi"'


def _media(random: Random, rpm: float, heads: int, logical: int, physical: int, layout: str) -> str:
    # A band of fewer tracks than disks ever had heads could be a cylinder: no timing tells them apart.
    band = f"\nserpentine_cylinders = {random.randint(60, 400)}" if layout == LAYOUTS[2] else ""
    return (
        f"[media]\nrpm = {rpm}\nheads = {heads}\nlogical_block_bytes = {logical}\n"
        f'physical_block_bytes = {physical}\nlayout = "{layout}"{band}'
    )


def _seek(random: Random, cylinders: int) -> str:
    head_ms, one_ms = random.uniform(0.3, 1.5), random.uniform(0.5, 2.0)
    root = random.uniform(0.01, 0.04)
    knee = cylinders // 10
    at_knee = one_ms + root * knee**0.5
    return (
        f"[seek]\nhead_switch_ms = {head_ms:.4f}\none_cylinder_ms = {one_ms:.4f}\n"
        f"short_base_ms = {one_ms:.4f}\nshort_sqrt_ms = {root:.5f}\nknee_cylinders = {knee}\n"
        f"full_stroke_ms = {at_knee + random.uniform(3, 12):.4f}\n"
        f"write_settle_ms = {random.uniform(0, 0.4):.4f}"
    )


def _command(random: Random, turn_ms: float) -> str:
    before = random.uniform(0.05, 0.28 * turn_ms)
    after = random.uniform(0.02, 0.3)
    return (
        f"[command]\nread_before_ms = {before:.4f}\nread_after_ms = {after:.4f}\n"
        f"write_before_ms = {before + random.uniform(0, 0.2):.4f}\nwrite_after_ms = {after:.4f}\n"
        f"hit_before_ms = {min(before, 0.05):.4f}\nhit_after_ms = 0.02\n"
        f"bus_bytes_per_s = {random.choice([10e6, 40e6, 160e6, 560e6]):.0f}"
    )


def _caches(random: Random) -> str:
    segments = random.choice([0, 1, 4, 16, 64])
    ahead = random.choice([0, 64, 256])
    writes = random.choice(["false", "false", "true"])
    return (
        f"[read_cache]\nsegments = {segments}\nsegment_kib = 256\nlook_ahead_kib = {ahead}\n\n"
        f"[write_cache]\nenabled = {writes}\nchangeable = {random.choice(['true', 'false'])}\n"
        f"slots = {random.choice([1, 16, 128])}\ndestage_ms = {random.uniform(0.0, 0.2):.4f}"
    )
