"""Drawn drives with up to three things that hardly any drive has: what `random_drives` leaves out."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from random import Random
from typing import Any

from tools.accuracy.random_drives import Drawn, draw

File = dict[str, Any]
DEFECTS = ("spare_tracks", "slipped_defects", "remapped_defects")


def corner(number: int, seed: int) -> Drawn:
    """The drive file of this number; the same seed gives the same drives whatever their count."""
    file = tomllib.loads(draw(number, seed).text)
    random = Random(f"odd/{seed}/{number}")
    picked = random.sample(list(CORNERS), random.choice([1, 2, 3]))
    for name in picked:
        CORNERS[name](file, random, 60e3 / file["media"]["rpm"])
    _seek_fitted(file)
    media, first = file["media"], file["zones"][0]
    words = (
        f"{', '.join(picked)}; {media['layout']}, {media['rpm']} rpm, {media['heads']} heads, "
        f"{first['sectors_per_track']} sectors"
    )
    return Drawn(f"corner-{seed}-{number}", _toml(file), words)


def _few_sectors(file: File, random: Random, _turn_ms: float) -> None:
    sectors, count = random.randint(8, 50), len(file["zones"])
    for place, zone in enumerate(file["zones"]):
        zone["sectors_per_track"] = max(6, round(sectors * (1 - 0.5 * place / count)))
        _few_spares(zone, 1)


def _one_head(file: File, _random: Random, _turn_ms: float) -> None:
    file["media"]["heads"] = 1
    for zone in file["zones"]:
        zone["spares_per_cylinder"] = 0
        _without_defects(zone)


def _many_heads(file: File, _random: Random, _turn_ms: float) -> None:
    file["media"]["heads"] = 20


def _slow_bus(file: File, random: Random, _turn_ms: float) -> None:
    file["command"]["bus_bytes_per_s"] = random.choice([1e6, 2e6, 3.3e6, 5e6])


def _long_skew(file: File, random: Random, turn_ms: float) -> None:
    track, cylinder = random.uniform(0.4, 0.97) * turn_ms, random.uniform(0.3, 0.97) * turn_ms
    for zone in file["zones"]:
        zone["track_skew_ms"], zone["cylinder_skew_ms"] = track, cylinder


def _no_skew(file: File, random: Random, _turn_ms: float) -> None:
    for zone in file["zones"]:
        zone["track_skew_ms"] = 0.0
    if random.random() < 0.5:
        for zone in file["zones"]:
            zone["cylinder_skew_ms"] = 0.0


def _short_skew(file: File, random: Random, _turn_ms: float) -> None:
    share = random.uniform(0.3, 0.9)
    for zone in file["zones"]:
        zone["track_skew_ms"] = share * file["seek"]["head_switch_ms"]


def _wander(file: File, random: Random, _turn_ms: float) -> None:
    percent = random.choice([0.08, 0.15, 0.3])
    file["spindle"] = {"wander_percent": percent, "wander_period_s": random.choice([1.0, 10.0, 60.0, 600.0])}


def _small(file: File, random: Random, _turn_ms: float) -> None:
    for zone in file["zones"]:
        zone["cylinders"] = random.randint(150, 1500)
        _without_defects(zone)


def _many_zones(file: File, random: Random, _turn_ms: float) -> None:
    first, count = file["zones"][0], random.randint(12, 40)
    zones = []
    for place in range(count):
        zone = dict(first)
        zone["cylinders"] = random.randint(1500, 12000)
        zone["sectors_per_track"] = max(10, round(first["sectors_per_track"] * (1 - 0.55 * place / count)))
        _few_spares(zone, 2)
        zones.append(zone)
    file["zones"] = zones


def _large_blocks(file: File, random: Random, _turn_ms: float) -> None:
    size = random.choice([4096, 8192])
    file["media"].update(logical_block_bytes=size, physical_block_bytes=size)


def _slow_settling(file: File, random: Random, _turn_ms: float) -> None:
    file["seek"]["write_settle_ms"] = random.uniform(1, 4)


def _quick_controller(file: File, _random: Random, _turn_ms: float) -> None:
    for way in ("read", "write"):
        file["command"].update({f"{way}_before_ms": 0.01, f"{way}_after_ms": 0.01})
    file["command"].update(hit_before_ms=0.005, hit_after_ms=0.005)


def _caches(file: File, random: Random, _turn_ms: float) -> None:
    file["write_cache"].update(enabled=True, changeable=False, slots=random.choice([1, 8, 64, 512]))
    cache = file["read_cache"]
    cache.update(segments=random.choice([1, 16]), segment_kib=random.choice([64, 1024, 4096]))
    cache["look_ahead_kib"] = random.choice([0, cache["segment_kib"]])


def _slow_controller(file: File, random: Random, turn_ms: float) -> None:
    before = random.uniform(0.5, 1.2) * turn_ms
    file["command"].update(read_before_ms=before, write_before_ms=before + 0.1)


CORNERS: dict[str, Callable[[File, Random, float], None]] = {
    "few sectors": _few_sectors,
    "one head": _one_head,
    "many heads": _many_heads,
    "slow bus": _slow_bus,
    "long skew": _long_skew,
    "no skew": _no_skew,
    "short skew": _short_skew,
    "wandering spindle": _wander,
    "small": _small,
    "many zones": _many_zones,
    "large blocks": _large_blocks,
    "slow settling": _slow_settling,
    "quick controller": _quick_controller,
    "caches": _caches,
    "slow controller": _slow_controller,
}


def _few_spares(zone: File, per_track: int) -> None:
    zone["spares_per_track"] = min(zone["spares_per_track"], per_track)
    zone["spares_per_cylinder"] = min(zone["spares_per_cylinder"], 2)
    _without_defects(zone)


def _without_defects(zone: File) -> None:
    for name in DEFECTS:
        zone.pop(name, None)


def _seek_fitted(file: File) -> None:
    """The simulator wants a stroke that is no shorter than the seek at the knee."""
    cylinders, seek = sum(zone["cylinders"] for zone in file["zones"]), file["seek"]
    seek["knee_cylinders"] = max(2, cylinders // 10)
    at_knee = seek["short_base_ms"] + seek["short_sqrt_ms"] * seek["knee_cylinders"] ** 0.5
    wide = cylinders > 20_000
    seek["full_stroke_ms"] = max(seek["full_stroke_ms"], at_knee + 1) if wide else at_knee + 3.0


def _toml(file: File) -> str:
    lines = ["zones = [", *(f"  {_value(zone)}," for zone in file["zones"]), "]"]
    for name, table in file.items():
        if name != "zones":
            lines += [f"[{name}]", *(f"{key} = {_value(value)}" for key, value in table.items())]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_value(one)}" for key, one in value.items()) + " }"
    return json.dumps(value) if isinstance(value, str | bool) else repr(value)
