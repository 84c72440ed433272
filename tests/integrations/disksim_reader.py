"""A reader of DiskSim 4.0's parameter files, of its manual (CMU-PDL-08-101, the chapter on the parameter
file) and of the parameters that its modules declare; it shares nothing with what writes the exports.

A file is a list of blocks `MODULE NAME { parameter = value, ... }`; a value is an integer, a real, a word, a
list in brackets or a block without a name. A comment goes from `#` to the end of its line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

_MODULES = {
    "dm_disk": """
        I Block count; I Number of data surfaces; I Number of cylinders; B? Mechanical Model; B Layout Model
        """,
    "dm_mech_g1": """
        S Access time type; D? Constant access time; S Seek type; D? Average seek time; D? Constant seek time;
        D? Single cylinder seek time; D? Full strobe seek time; S? Full seek curve;
        D Add. write settling delay; D Head switch time; I Rotation speed (in rpms); D Percent error in rpms;
        L? First ten seek times; L? HPL seek equation values
        """,
    "dm_layout_g1": """
        I LBN-to-PBN mapping scheme; I Sparing scheme used; I Rangesize for sparing; S? Skew units; L Zones
        """,
    "dm_layout_g1_zone": """
        I First cylinder number; I Last cylinder number; I Blocks per track; D Offset of first block;
        S? Skew units; I Empty space at zone front; D? Skew for track switch; D? Skew for cylinder switch;
        I Number of spares; L slips; L defects
        """,
    "disksim_ioqueue": """
        I Scheduling policy; I Cylinder mapping strategy; D Write initiation delay; D Read initiation delay;
        I Sequential stream scheme; I Maximum concat size; I Overlapping request scheme;
        I Sequential stream diff maximum; I Scheduling timeout scheme; I Timeout time/weight;
        I Timeout scheduling; I Scheduling priority scheme; I Priority scheduling
        """,
    "disksim_disk": """
        B Model; B Scheduler; I Max queue length; D Bulk sector transfer time; I Segment size (in blks);
        I Number of buffer segments; I Print stats; D Per-request overhead time; D Time scale for overheads;
        I Hold bus entire read xfer; I Hold bus entire write xfer; I Allow almost read hits;
        I Allow sneaky full read hits; I Allow sneaky partial read hits;
        I Allow sneaky intermediate read hits; I Allow read hits on write data; I Allow write prebuffering;
        I Preseeking level; I Never disconnect; I Avg sectors per cylinder;
        I Maximum number of write segments; I Use separate write segment; D Low (write) water mark;
        D High (read) water mark; I Set watermark by reqsize; I Calc sector by sector;
        I Enable caching in buffer; I Buffer continuous read; I Minimum read-ahead (blks);
        I Maximum read-ahead (blks); I Read-ahead over requested; I Read-ahead on idle hit;
        I Read any free blocks; I Fast write level; I Combine seq writes; I Stop prefetch in sector;
        I Disconnect write if seek; I Write hit stop prefetch; I Read directly to buffer;
        I Immed transfer partial hit; D Read hit over. after read; D Read hit over. after write;
        D Read miss over. after read; D Read miss over. after write; D Write hit over. after read;
        D Write hit over. after write; D Write miss over. after read; D Write miss over. after write;
        D Read completion overhead; D Write completion overhead; D Data preparation overhead;
        D First reselect overhead; D Other reselect overhead; D Read disconnect afterread;
        D Read disconnect afterwrite; D Write disconnect overhead; I Extra write disconnect;
        D Extradisc command overhead; D Extradisc disconnect overhead; D Extradisc inter-disconnect delay;
        D Extradisc 2nd disconnect overhead; D Extradisc seek delta; D Minimum seek delay;
        I Immediate buffer read; I Immediate buffer write
        """,
}
"""Module to its parameters: type (integer, real, word, list or block, with `?` where it may be left out), and
name."""
_INTEGER = re.compile(r"-?\d+")
_REAL = re.compile(r"-?\d*\.\d+")
_WORD = re.compile(r"[A-Za-z_][\w./-]*")
_PARTS = re.compile(r"[{}\[\],=]|[^{}\[\],=]+")


class GrammarError(ValueError):
    """What DiskSim would not take, with the place."""


@dataclass(frozen=True)
class Block:
    """A block of a file."""

    module: str
    name: str
    values: dict[str, Any]


def read(text: str) -> list[Block]:
    """Return the blocks of a file; raises GrammarError."""
    return _Reader(text).blocks()


class _Reader:
    def __init__(self, text: str) -> None:
        plain = "\n".join(line.partition("#")[0] for line in text.splitlines())
        self._parts = [part.strip() for part in _PARTS.findall(plain) if part.strip()]
        self._at = 0
        self._names: dict[str, Block] = {}

    def blocks(self) -> list[Block]:
        while self._at < len(self._parts):
            module, _, name = self._next().partition(" ")
            if name in self._names or not _WORD.fullmatch(name):
                raise GrammarError(f"{name!r} is no new name of a block.")
            self._names[name] = self._block(module, name)
        return list(self._names.values())

    def _next(self, wanted: str = "") -> str:
        if self._at == len(self._parts):
            raise GrammarError("The file ends within a block.")
        part = self._parts[self._at]
        if wanted and part != wanted:
            raise GrammarError(f"{wanted!r} has to stand where {part!r} does.")
        self._at += 1
        return part

    def _peek(self) -> str:
        return self._parts[self._at] if self._at < len(self._parts) else ""

    def _block(self, module: str, name: str) -> Block:
        if module not in _MODULES:
            raise GrammarError(f"There is no module {module!r}.")
        known = dict(reversed(one.strip().split(" ", 1)) for one in _flat(_MODULES[module]).split(";"))
        values: dict[str, Any] = {}
        self._next("{")
        while True:
            key = self._next()
            self._next("=")
            if key not in known or key in values:
                raise GrammarError(f"{module} has no parameter {key!r}, or has it already.")
            values[key] = self._value()
            _check(f"{module}: {key}", known[key][0], values[key])
            if self._peek() == "}":
                break
            self._next(",")
        self._next("}")
        lacking = [key for key, kind in known.items() if not kind.endswith("?") and key not in values]
        if lacking:
            raise GrammarError(f"{module} lacks {lacking}.")
        return Block(module, name, values)

    def _value(self) -> Any:
        part = self._next()
        if part == "[":
            return self._list()
        if self._peek() == "{":
            return self._block(part, "")
        if _INTEGER.fullmatch(part):
            return int(part)
        if _REAL.fullmatch(part):
            return float(part)
        if _WORD.fullmatch(part):
            return self._names.get(part, part)
        raise GrammarError(f"{part!r} is no value.")

    def _list(self) -> list[Any]:
        found: list[Any] = []
        while self._peek() != "]":
            found.append(self._value())
            if self._peek() != "]":
                self._next(",")
        self._next("]")
        return found


def _flat(text: str) -> str:
    return " ".join(text.split())


def _check(place: str, kind: str, value: Any) -> None:
    wanted = {"I": int, "D": float, "S": str, "L": list, "B": Block}[kind]
    if type(value) is not wanted:
        raise GrammarError(f"{place} is {value!r}, no {wanted.__name__}.")
