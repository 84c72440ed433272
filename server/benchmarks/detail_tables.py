"""What kinds say of the tables that they keep in `Extraction.details`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DetailColumn:
    """A column of a detail table. Units stand in its name."""

    name: str
    type: str
    """`string`, `integer`, `number` or `boolean`."""
    about: str
    path: tuple[str, ...] = ()
    """Where an entry has it; its name unless told."""

    @property
    def steps(self) -> tuple[str, ...]:
        """The keys that lead to it within an entry."""
        return self.path or (self.name,)


@dataclass(frozen=True, slots=True)
class DetailTable:
    """A part of `Extraction.details` that releases and the API give as rows: a list of objects, or one object
    that becomes a single row. Another meaning of a column is another format version of releases."""

    name: str
    """Of the table, as in addresses."""
    title: str
    row: str
    """What a row is, for example `zone of a run`."""
    about: str
    path: tuple[str, ...]
    """Where details have it."""
    columns: tuple[DetailColumn, ...]
    counted_tracks: bool = False
    """Whether rows are stretches from `start_mb` to `end_mb`, for which the run may have counted the
    blocks of a track (`Measurand.SECTORS_PER_TRACK`)."""
