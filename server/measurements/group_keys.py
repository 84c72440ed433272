"""Keys of what can be compared: text that stands in addresses. Pure.

`samsung-hd103sj` is a drive model, `samsung-hd103sj~batch:2012-w31` a batch, `samsung-hd103sj~fw:1AJ10001` a
firmware revision, `western-digital-wd10ezex~variant:75WN4A0` a variant, `samsung-hd103sj~unit:<first 12 hex
digits>` a unit and `run:<uuid>` a run. Labels are percent-encoded. `~imp`, `~sim` or `~lit` at the end asks
for the imported or simulated runs of a model that has measured ones too, or for what documents say of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol
from urllib.parse import quote, unquote
from uuid import UUID

LETTERS = "ABCDEFGH"
"""What groups of one comparison are called, in their order."""
DIGITS = 12
"""Hex digits of a unit's digest in its key."""
LONGEST = 600
"""No key is longer; a batch's label of 128 characters takes up to nine times as many, percent-encoded."""


class GroupType(StrEnum):
    """What a group is."""

    MODEL = "model"
    BATCH = "batch"
    FIRMWARE = "firmware"
    VARIANT = "variant"
    UNIT = "unit"
    RUN = "run"


class Source(StrEnum):
    """Where a group's numbers come from; a group has one."""

    MEASURED = "probe"
    IMPORTED = "imported"
    SIMULATED = "simulated"
    LITERATURE = "literature"

    @property
    def words(self) -> str:
        """The provenance in a word."""
        words = {"probe": "measured", "literature": "published"}
        return words.get(self.value, self.value)


_TYPES = {
    "batch": GroupType.BATCH,
    "fw": GroupType.FIRMWARE,
    "variant": GroupType.VARIANT,
    "unit": GroupType.UNIT,
}
_PARTS = {kind: name for name, kind in _TYPES.items()}
SUFFIXES = {"imp": Source.IMPORTED, "sim": Source.SIMULATED, "lit": Source.LITERATURE}
_SLUG = re.compile(r"[A-Za-z0-9_-]{1,200}")
_EXAMPLES = "samsung-hd103sj, samsung-hd103sj~batch:2012-w31, samsung-hd103sj~fw:1AJ10001 or run:<id>"


class GroupsError(Exception):
    """Groups that can't be compared. Each text says fact, limit and remedy."""

    def __init__(self, errors: Sequence[str]) -> None:
        super().__init__(" ".join(errors))
        self.errors = tuple(errors)


@dataclass(frozen=True, slots=True)
class Key:
    """A key in its parts; nothing says yet that such a group exists."""

    type: GroupType
    slug: str = ""
    """Empty for a run."""
    part: str = ""
    """Batch, firmware revision, variant, beginning of a digest, or run; decoded."""
    asked: Source | None = None

    def __str__(self) -> str:
        if self.type == GroupType.RUN:
            return f"run:{self.part}"
        part = "" if self.type == GroupType.MODEL else f"~{_PARTS[self.type]}:{encoded(self.part)}"
        asked = {source: f"~{name}" for name, source in SUFFIXES.items()}.get(
            self.asked or Source.MEASURED, ""
        )
        return f"{self.slug}{part}{asked}"


class BatchName(Protocol):
    """What a batch is called by."""

    year: int | None
    week: int | None
    label: str


def encoded(text: str) -> str:
    """Return a label as keys have it: everything but letters, digits and `_.-` percent-encoded."""
    return quote(text, safe="").replace("~", "%7E")


def batch_part(batch: BatchName) -> str:
    """Return how keys name a batch: `2012-w31`, `2012-w31:site A`, or `:site A` where no week is known."""
    week = f"{batch.year}-w{batch.week:02d}" if batch.year and batch.week else ""
    return f"{week}:{batch.label}" if batch.label else week


def model_key(slug: str, source: Source | None = None) -> str:
    """Return the key of a model."""
    return str(Key(GroupType.MODEL, slug, asked=source))


def batch_key(slug: str, batch: BatchName) -> str:
    """Return the key of a batch."""
    return str(Key(GroupType.BATCH, slug, batch_part(batch)))


def firmware_key(slug: str, firmware: str) -> str:
    """Return the key of a firmware revision."""
    return str(Key(GroupType.FIRMWARE, slug, firmware))


def variant_key(slug: str, variant: str) -> str:
    """Return the key of a variant."""
    return str(Key(GroupType.VARIANT, slug, variant))


def unit_key(slug: str, digest: str) -> str:
    """Return the key of a unit."""
    return str(Key(GroupType.UNIT, slug, digest[:DIGITS]))


def run_key(run_id: UUID | str) -> str:
    """Return the key of a run."""
    return str(Key(GroupType.RUN, part=str(run_id)))


def key_parse(text: str) -> Key:
    """Return the parts of a key; raises GroupsError for text that is none."""
    if len(text) > LONGEST:
        raise GroupsError(
            [f"A key has {len(text)} characters. The limit is {LONGEST}. Keys look like {_EXAMPLES}."]
        )
    if text.startswith("run:"):
        try:
            return Key(GroupType.RUN, part=str(UUID(text.removeprefix("run:"))))
        except ValueError:
            raise _unreadable(text) from None
    slug, *parts = text.split("~")
    asked = SUFFIXES.get(parts.pop()) if parts and parts[-1] in SUFFIXES else None
    if not _SLUG.fullmatch(slug) or len(parts) > 1:
        raise _unreadable(text)
    if not parts:
        return Key(GroupType.MODEL, slug, asked=asked)
    name, colon, value = parts[0].partition(":")
    value = unquote(value)
    readable = name in _TYPES and colon and value.strip() and "\0" not in value
    if not readable or asked == Source.LITERATURE:
        raise _unreadable(text)
    if name == "unit" and not re.fullmatch(r"[0-9a-f]{8,64}", value.casefold()):
        raise _unreadable(text)
    return Key(_TYPES[name], slug, value.casefold() if name == "unit" else value, asked)


def _unreadable(text: str) -> GroupsError:
    return GroupsError([f"“{text[:80]}” is not a key of anything here. Keys look like {_EXAMPLES}."])
