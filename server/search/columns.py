"""The numbers that lists of drives can show and sort by: one metric in one scope each. Those of COLUMNS stand
in each model's summary; every other number of the archive can be asked for by its `metric|scope`."""

from __future__ import annotations

from dataclasses import dataclass

from server.benchmarks.registry import metrics_by_key
from server.core.scopes import scope_text


@dataclass(frozen=True, slots=True)
class Column:
    """A number of the list of drives."""

    key: str
    """What the address says."""
    metric: str
    scope: str
    label: str
    shown: bool = False
    """Whether the list shows it without being asked."""

    @property
    def summed(self) -> bool:
        """Return whether summaries hold it."""
        return self.key in COLUMN_OF_KEY

    @property
    def place(self) -> str:
        """Return how summaries call it."""
        return f"{self.metric}|{self.scope}"


COLUMNS: tuple[Column, ...] = tuple(
    Column(declared.key, metric.key, declared.scope, declared.label, declared.shown)
    for declared, metric in sorted(
        ((declared, metric) for metric in metrics_by_key().values() for declared in metric.columns),
        key=lambda pair: pair[0].position,
    )
)
COLUMN_OF_KEY = {column.key: column for column in COLUMNS}
SHOWN = tuple(column.key for column in COLUMNS if column.shown)
_KEY_OF_PLACE = {column.place: column.key for column in COLUMNS}
_SCOPE_MAX = 200


def column_of(key: str) -> Column | None:
    """Return the column of a key: one of COLUMNS, or `metric|scope` of a registered metric; else None."""
    known = COLUMN_OF_KEY.get(_KEY_OF_PLACE.get(key, key))
    metric, bar, scope = key.partition("|")
    entry = metrics_by_key().get(metric)
    if known or entry is None or not bar or len(scope) > _SCOPE_MAX or "\0" in scope:
        return known
    words = scope_text(scope)
    return Column(key, metric, scope, f"{entry.title}, {words}" if words else entry.title)
