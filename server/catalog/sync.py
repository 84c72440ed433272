"""Bringing rows to what the files say without undoing what a person changed.

Each row that a file brought keeps a digest of what was brought. A row whose digest no longer fits was edited
by a person and is left alone; so is a row without a digest, which a person made.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from django.db import models

from server.catalog.models import Loaded

BEFORE_DIGESTS = "before digests"
"""The digest of a row from a loader that kept none; taken for unedited."""

Row = TypeVar("Row", bound=Loaded)


@dataclass(slots=True)
class LoadReport:
    """What a load did, in words for the operator."""

    created: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    """Rows that differ from the files and stay, since a person made or edited them."""
    unchanged: int = 0
    drives: int = 0


class Table(Generic[Row]):
    """The rows of one model, read once, and what a load does with them."""

    def __init__(
        self,
        model: type[Row],
        key: tuple[str, ...],
        report: LoadReport,
        *,
        overwrite: bool,
        at_once: bool = False,
    ) -> None:
        """Read the rows. With `at_once`, new ones are written together by `finish`."""
        self._model = model
        self._key = key
        self._report = report
        self._overwrite = overwrite
        related = [
            field.name
            for field in model._meta.fields
            if isinstance(field, models.ForeignKey) and field.name in key
        ]
        self._rows = {self._named(row): row for row in model._default_manager.select_related(*related)}
        self._seen: set[int] = set()
        self._at_once = at_once
        self._new: list[Row] = []

    def bring(self, whole: Mapping[str, Any], *, untouched: bool = False) -> Row:
        """Make or update the row that the key's columns in `whole` name; return it as it is then.

        `untouched` says that a row without a digest is nobody's own entry (a model that a device named).
        """
        name = tuple(whole[column] for column in self._key)
        wanted = _digest(whole)
        row = self._rows.get(name)
        if row is None:
            self._report.created.append(self._words(name))
            row = self._model(**whole, loaded_digest=wanted)
            if self._at_once:
                self._new.append(row)
                return row
            row.save()
            self._rows[name] = row
        else:
            self._update(row, name, whole, wanted, untouched)
        self._seen.add(row.pk)
        return row

    def finish(self, columns: tuple[str, ...]) -> None:
        """Write new rows, and remove those that files brought and no longer have.

        A row that a person edited since stays: `columns` are those that its digest is made of.
        """
        self._model._default_manager.bulk_create(self._new)
        for name, row in self._rows.items():
            if row.pk in self._seen or not row.loaded_digest:
                continue
            if row.loaded_digest in (
                _digest({column: getattr(row, column) for column in columns}),
                BEFORE_DIGESTS,
            ):
                self._report.removed.append(self._words(name))
                row.delete()
            else:
                self._report.kept.append(f"{self._words(name)}: no longer in the files, edited by a person")

    def _update(
        self, row: Row, name: tuple[Any, ...], whole: Mapping[str, Any], wanted: str, untouched: bool
    ) -> None:
        present = _digest({column: getattr(row, column) for column in whole})
        ours = row.loaded_digest in (present, BEFORE_DIGESTS) or (untouched and not row.loaded_digest)
        if present == wanted:
            self._report.unchanged += 1
        elif ours or self._overwrite:
            self._report.changed.append(self._words(name))
        else:
            self._report.kept.append(self._words(name))
            return
        if present != wanted or row.loaded_digest != wanted:
            for column, value in whole.items():
                setattr(row, column, value)
            row.loaded_digest = wanted
            row.save()

    def _named(self, row: Row) -> tuple[Any, ...]:
        return tuple(getattr(row, column) for column in self._key)

    def _words(self, name: tuple[Any, ...]) -> str:
        return f"{self._model._meta.verbose_name} {' / '.join(str(value) for value in name if value != '')}"


def _digest(values: Mapping[str, Any]) -> str:
    """Return the digest of a row's loaded values; `143` and `143.0` are one number."""
    plain = {name: _plain(value) for name, value in values.items()}
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, models.Model):
        return value.pk
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value
