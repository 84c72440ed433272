"""The same picture of several groups in one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from server.benchmarks.contract import Axis, Chart, Series
from server.comparison import overlays


def profile(*gigabytes: float) -> Chart:
    series = Series(key="zones", label="Zones", role="step", x=gigabytes, y=tuple(100.0 for _ in gigabytes))
    x, y = Axis("Position", "GB"), Axis("Bandwidth", "MB/s")
    return Chart(id="profile", shape="profile", title="Profile", summary="", x=x, y=y, series=(series,))


def drawn(monkeypatch: pytest.MonkeyPatch, *capacities: int) -> Chart:
    """Return the picture of groups of these capacities, each drawn from its start to its end."""
    pictured = {
        capacity: overlays._Pictured({("zoned", "profile"): profile(0.0, capacity / 1e9)}, capacity)
        for capacity in capacities
    }
    monkeypatch.setattr(overlays, "_pictured", lambda group: pictured[group.capacity])
    monkeypatch.setattr(overlays, "groups_cache_key", lambda groups, what: "")
    groups: Any = [SimpleNamespace(capacity=capacity, title=str(capacity)) for capacity in capacities]
    (chart,) = overlays.overlays_get(groups)
    return chart


def test_drives_of_one_size_share_an_axis_of_places(monkeypatch: pytest.MonkeyPatch) -> None:
    chart = drawn(monkeypatch, 1_000_000_000_000, 1_000_200_000_000)
    assert chart.x.unit == "GB" and chart.series[0].x == (0, 1000)


def test_drives_of_other_sizes_are_drawn_by_the_share_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    chart = drawn(monkeypatch, 2_000_000_000, 20_000_000_000_000)
    assert chart.x.unit == "%" and chart.x.label == "Position as a share of each drive"
    assert [series.x for series in chart.series] == [(0, 100), (0, 100)]


class Kept(dict[str, Any]):
    """A cache that forgets nothing."""

    def set(self, key: str, value: Any, _seconds: int) -> None:
        self[key] = value


def test_pictures_are_kept_but_not_where_one_could_not_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    lost = True

    def pictured(group: Any) -> overlays._Pictured:
        asked.append(group)
        if lost and group.title == "b":
            return overlays._Pictured({}, None, lost=True)
        return overlays._Pictured({("zoned", "profile"): profile(0.0, 1.0)}, 10**9)

    monkeypatch.setattr(overlays, "cache", Kept())
    monkeypatch.setattr(overlays, "groups_cache_key", lambda groups, what: "one")
    monkeypatch.setattr(overlays, "_pictured", pictured)
    groups: Any = [SimpleNamespace(title=title) for title in "ab"]
    assert overlays.overlays_get(groups) == ()
    lost = False
    made = overlays.overlays_get(groups)
    assert len(made) == 1 and len(asked) == 4
    assert overlays.overlays_get(groups) == made and len(asked) == 4
