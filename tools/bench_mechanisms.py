"""`make bench-mechanisms`: how often the flag "two mechanisms under one name" is raised wrongly, and missed.

Each simulated drive is measured as several units: spindles up to 0.2 % off, other seeds of noise, and every
third unit under heavy noise. Units of one drive under one name must raise no flag; units of two drives must.
"""

from __future__ import annotations

import argparse
import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations, product
from pathlib import Path
from typing import Any

from server.benchmarks.contract import Facts
from server.benchmarks.registry import KINDS
from server.model_stats.mechanism.features import Fingerprint, Reading, RunReadings, fingerprints
from server.model_stats.mechanism.groups import Mechanisms, mechanisms
from tests.support.probe import ROOT, Probe, probe_path

DRIVES = ROOT / "client/probe/src" / "sim" / "drives"
SPINDLE = 0.002
SIZES = (2, 3, 4)
"""Units of one drive that are put under one name."""
GROUPS = 60
"""Most groups of each size and drive."""


@dataclass
class Tally:
    """What came out."""

    false_flags: Counter[str] = field(default_factory=Counter)
    like_groups: int = 0
    found: int = 0
    missed: Counter[tuple[str, str]] = field(default_factory=Counter)
    unknown: int = 0
    """Of the missed: pairs of which one unit's run carried too little."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--units", type=int, default=6, help="units of each drive")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    path = probe_path()
    if path is None:
        print("The probe is not built; call `make build`.")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        caller = Probe(path, Path(folder))
        made = caller.call("key", "new")
        if made.returncode:
            print(made.stderr)
            return 1
        units = {
            file.stem: [
                measured(caller, file, number, options.seed, Path(folder)) for number in range(options.units)
            ]
            for file in sorted(DRIVES.glob("*.toml"))
        }
    report(tally_of(units))
    return 0


def measured(probe: Probe, file: Path, number: int, seed: int, folder: Path) -> Fingerprint:
    """The fingerprint of one unit of a simulated drive, from one quick run."""
    off = random.Random(f"{file.stem}/{seed}/{number}").uniform(-SPINDLE, SPINDLE)
    text = re.sub(
        r"^rpm = ([\d.]+)",
        lambda found: f"rpm = {float(found[1]) * (1 + off):.3f}",
        file.read_text(encoding="utf-8"),
        flags=re.MULTILINE,
    )
    own = folder / f"{file.stem}-{number}.toml"
    own.write_text(text, encoding="utf-8")
    noise = "heavy" if number % 3 == 2 else "default"
    device = f"sim:{own},noise={noise},seed={seed + number}"
    options = ("--only", "skippy,zoned", "--suite", "quick", "--writes", "preserve")
    document = probe.run(device, folder / f"{file.stem}-{number}.json", *options)
    unit = f"{file.stem}/{number}"
    run = RunReadings(unit, unit, document["device"]["block_bytes"], tuple(readings(document)))
    return fingerprints([run])[0]


def readings(document: dict[str, Any]) -> Iterator[Reading]:
    """What extraction finds in a document."""
    device = document["device"]
    rate = device["rotation_rate_rpm"]
    kinds = {kind.slug: kind for kind in KINDS}
    for entry in document["benchmarks"]:
        if "skipped" in entry:
            continue
        cache = (entry.get("caches") or {}).get("write")
        facts = Facts(
            block_bytes=device["block_bytes"],
            capacity_bytes=device["capacity_bytes"],
            rated_rpm=float(rate) if rate else None,
            simulated=True,
            write_cache=cache,
        )
        for one in kinds[entry["kind"]].extract(entry, facts).measurements:
            yield Reading(one.metric, one.scope, one.value, one.low, one.high, one.quality.value)


def tally_of(units: dict[str, list[Fingerprint]]) -> Tally:
    """Put units of one drive, and of two, under one name."""
    tally = Tally()
    for drive, members in units.items():
        for size in SIZES:
            for group in list(combinations(members, size))[:GROUPS]:
                tally.like_groups += 1
                tally.false_flags[drive] += mechanisms(group).several
    for one, other in combinations(units, 2):
        for pair in product(units[one], units[other]):
            found: Mechanisms = mechanisms(pair)
            tally.found += found.several
            tally.missed[one, other] += not found.several
            tally.unknown += bool(found.left_out) and not found.several
    return tally


def report(tally: Tally) -> None:
    """Print the rates."""
    wrong, missed = sum(tally.false_flags.values()), sum(tally.missed.values())
    print(f"wrongly flagged: {wrong} of {tally.like_groups} groups of units of one drive")
    for drive, count in tally.false_flags.most_common():
        if count:
            print(f"  {drive}: {count}")
    print(f"found: {tally.found} of {tally.found + missed} pairs of units of two drives")
    print(f"missed: {missed}, of which in {tally.unknown} one run carried too little to say")
    for (one, other), count in tally.missed.most_common(12):
        if count:
            print(f"  missed {one} and {other}: {count}")


if __name__ == "__main__":
    raise SystemExit(main())
