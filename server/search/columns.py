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


COLUMNS: tuple[Column, ...] = (
    Column("outer", "zoned.outer_bandwidth", "", "Outer bandwidth", shown=True),
    Column("inner", "zoned.inner_bandwidth", "", "Inner bandwidth", shown=True),
    Column("mean", "zoned.mean_bandwidth", "", "Mean bandwidth"),
    Column("ratio", "zoned.bandwidth_ratio", "", "Outer over inner"),
    Column("zones", "zoned.zone_count", "", "Zones"),
    Column("rotation", "skippy.rotation_rate", "", "Measured rotation"),
    Column("track", "skippy.sectors_per_track", "outer", "Sectors per track, outer"),
    Column("surfaces", "skippy.surfaces", "", "Surfaces"),
    Column("mtm", "skippy.mtm", "", "Minimum time to media"),
    Column("seek", "seeker.average", "without_mtm", "Average seek", shown=True),
    Column("seek-minimum", "seeker.minimum", "without_mtm", "Shortest seek"),
    Column("seek-full", "seeker.full_stroke", "without_mtm", "Full-stroke seek"),
    Column("access", "access.access_time", "", "Access time"),
    Column("peak-read", "bandwidth.peak", "read", "Peak, reads"),
    Column("peak-write", "bandwidth.peak", "write", "Peak, writes"),
    Column("buffer", "buffer.effective_size", "", "Buffer in use"),
    Column("iops-one", "random_io.alone", "", "Reads a second, one at a time"),
    Column("iops-most", "random_io.most", "", "Reads a second, many at a time"),
    Column("write-off", "sync_write.latency_median", "off/4KiB", "Write of 4 KiB, cache off"),
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
