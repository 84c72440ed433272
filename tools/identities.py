"""Holds the rules for makers' numbers against what real drives said: `make identities`.

Prints every string of which the maker, the split or a decoded fact is not as the drives have it, then how
many there are of each. Another file of the same form may be given instead.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from server.catalog.identities import FILE, Identity, identities
from server.catalog.names import DriveName, drive_name, same_house

CAPACITY_TOLERANCE = 0.02
"""Nominal against actual: 250 GB drives of 251.06 GB, 73 GB drives of 73.4 GB."""
SPEED_TOLERANCE_RPM = 5.0
"""Seagate drives of 7200 rpm say 7202."""
_SUFFIX = re.compile(r"^(?:WDC? +WD|ST)\S*?-(\S+)$", re.IGNORECASE)
_RESELLERS = {"HP": "HPE"}


@dataclass(frozen=True, slots=True)
class Finding:
    """A string that the rules read otherwise than the drives have it."""

    what: str
    identity: Identity
    words: str


def findings(rows: tuple[Identity, ...]) -> list[Finding]:
    """Return everything that is not as the drives have it."""
    found = []
    for identity in rows:
        name = drive_name(None, identity.model_string)
        for what, words in (
            ("maker", _maker_differs(identity, name)),
            ("split", _split_differs(identity, name)),
            ("decoded", _facts_differ(identity, name)),
        ):
            if words:
                found.append(Finding(what, identity, words))
    return found


def _maker_differs(identity: Identity, name: DriveName) -> str:
    stated = _RESELLERS.get(identity.maker, identity.maker)
    ours = [_RESELLERS.get(one, one) for one in (name.maker, name.brand) if one]
    if any(one == stated or same_house(one, stated) for one in ours):
        return ""
    return f"{' / '.join(ours) or 'nobody'}, not {identity.maker}"


def _split_differs(identity: Identity, name: DriveName) -> str:
    if not name.rule:
        return "no rule reads the number"
    suffix = _SUFFIX.match(" ".join(identity.model_string.split()))
    if suffix and (name.variant != suffix.group(1).upper() or "-" in name.model):
        return f"{name.model} and {name.variant or 'no variant'}, not -{suffix.group(1)}"
    return ""


def _facts_differ(identity: Identity, name: DriveName) -> str:
    facts = {fact: decoded.value for fact, decoded in name.facts.items()}
    wrong = []
    if (capacity := facts.get("capacity_gb")) and not isinstance(capacity, str):
        actual = identity.capacity_bytes / 1e9
        if abs(actual / capacity - 1) > CAPACITY_TOLERANCE:
            wrong.append(f"{capacity} GB, drives have {actual:.0f} GB")
    if (rate := facts.get("rotation_rpm")) and not isinstance(rate, str):
        said = [one for one in identity.rotations if abs(one - rate) > SPEED_TOLERANCE_RPM]
        wrong += [f"{rate} rpm, drives say {one}" for one in said]
    form = str(facts.get("form_factor", ""))
    if form and identity.form_factor and form.split()[0] != identity.form_factor.split()[0]:
        wrong.append(f"{form}, drives say {identity.form_factor}")
    if facts.get("physical_block_bytes", identity.physical_bytes) != identity.physical_bytes:
        wrong.append(f"blocks of {facts['physical_block_bytes']}, drives say {identity.physical_bytes}")
    return "; ".join(wrong)


def main(arguments: list[str]) -> int:
    rows = identities(Path(arguments[0])) if arguments else identities(FILE)
    found = findings(rows)
    for one in found:
        print(f"{one.what:<8} {one.identity.units:>5}  {one.identity.model_string:<40} {one.words}")
    drives = sum(one.units for one in rows)
    print(f"{len(rows)} strings of {drives} drives")
    for what in ("maker", "split", "decoded"):
        wrong = [one.identity for one in found if one.what == what]
        units = sum(one.units for one in wrong)
        print(f"  {what:<8} otherwise: {len(wrong)} strings, {units} drives ({units / drives:.2%})")
    facts = Counter(fact for one in rows for fact in drive_name(None, one.model_string).facts)
    print("  decoded: " + ", ".join(f"{fact} of {count}" for fact, count in sorted(facts.items())))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
