"""What real drives said of themselves: the facts of a public collection, a row for each model string.

`data/identities.csv` holds facts read out of EnterpriseDrive of the Linux hardware project (CC BY 4.0, commit
66faf203c: smartctl's output from 30,590 drives); about half of its model strings are there.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).parent / "data" / "identities.csv"
SOURCE = "enterprisedrive"
"""Its key in citations.json."""
_OTHER_NAMES = {"WDC": "Western Digital"}


@dataclass(frozen=True, slots=True)
class Identity:
    """One model string, and what the drives that gave it said of themselves."""

    model_string: str
    maker: str
    family: str
    """As the collection has it, from smartctl's database."""
    units: int
    capacities: Counter[int]
    """Bytes to number of drives."""
    logical_bytes: int
    physical_bytes: int
    rotations: Counter[int]
    form_factor: str
    sata_version: str
    firmware: Counter[str]

    @property
    def capacity_bytes(self) -> int:
        """The capacity that most of the drives have: others are smaller by a protected area, for example."""
        return self.capacities.most_common(1)[0][0]


@cache
def identities(path: Path = FILE) -> tuple[Identity, ...]:
    """Return all rows."""
    with path.open(encoding="utf-8", newline="") as file:
        return tuple(_identity(row) for row in csv.DictReader(file))


def _identity(row: dict[str, str]) -> Identity:
    return Identity(
        model_string=row["model_string"],
        maker=_OTHER_NAMES.get(row["maker"], row["maker"]),
        family=row["family"],
        units=int(row["units"]),
        capacities=Counter({int(text): count for text, count in _counts(row["capacities_bytes"])}),
        logical_bytes=int(row["logical_bytes"]),
        physical_bytes=int(row["physical_bytes"]),
        rotations=Counter({int(text): count for text, count in _counts(row["rotation_rpm"])}),
        form_factor=row["form_factor"],
        sata_version=row["sata_version"],
        firmware=Counter(dict(_counts(row["firmware"]))),
    )


def _counts(cell: str) -> Iterable[tuple[str, int]]:
    for entry in filter(None, cell.split(";")):
        text, _colon, count = entry.rpartition(":")
        yield text, int(count)
