"""The paper's readings of single points, and what going to another head takes."""

from __future__ import annotations

import pytest

from server.benchmarks.contract import Extraction, Quality
from server.benchmarks.skippy import KIND
from server.benchmarks.skippy.test_skippy import CLEAN, FACTS, columns, entry_of, mock_disk, one, value
from tests.support import traces

BLOCK_MS = 8.333 / 150


@pytest.fixture(scope="module")
def mock() -> Extraction:
    """The mock disk of Figure 3: 7,200 rpm, MTM 2.0 ms."""
    return KIND.extract(entry_of(columns(mock_disk())), FACTS)


def test_the_three_readings_of_the_time_to_media_lie_a_block_apart_on_the_mock_disk(mock: Extraction) -> None:
    """The transfer is a block's time, and points (1) and (2) are two steps less apart than (3) is high."""
    point_3 = value(mock, "mtm_reading", "point_3")
    assert 2.0 <= point_3 <= 2.0 + BLOCK_MS
    assert value(mock, "mtm_reading", "point_3_less_transfer") == pytest.approx(point_3 - BLOCK_MS, abs=1e-3)
    assert value(mock, "mtm_reading", "point_2_less_point_1") == pytest.approx(
        point_3 - 2 * BLOCK_MS, abs=1e-3
    )
    for scope in ("point_3", "point_3_less_transfer", "point_2_less_point_1"):
        assert one(mock, "mtm_reading", scope).quality is Quality.FAIR


def test_the_two_readings_of_the_turn_are_step_0_and_the_height_of_the_edge(mock: Extraction) -> None:
    assert value(mock, "rotation_reading", "point_1") == pytest.approx(8.333 + BLOCK_MS, abs=1e-3)
    assert value(mock, "rotation_reading", "edge_height") == pytest.approx(8.333, abs=1e-3)


def test_readings_without_an_edge_say_why() -> None:
    flat = entry_of(columns([int(8e6 + (k * 7919) % 300_000) for k in range(450)]))
    found = one(KIND.extract(flat, FACTS), "mtm_reading", "point_3")
    assert found.value is None
    assert found.reason


@pytest.mark.parametrize("flavour", ["w", "w_noisy[123]"])
@pytest.mark.parametrize("drive", CLEAN)
def test_what_a_head_switch_adds_is_the_mechanisms_time_and_not_the_gap(drive: str, flavour: str) -> None:
    """Section 4.1.4: with the skew behind them some accesses before the edge are served in the same turn."""
    found = one(
        KIND.extract(traces.skippy_entry_of(drive, flavour), traces.facts(drive)),
        "head_positioning",
        "head/write",
    )
    truth = traces.truth(drive)["local"]["outer"]["phase_sweep_write"]["head_switch_extra_ms"]
    assert found.low is not None and found.high is not None
    # The truth was found with 1,500 delays over a turn.
    assert found.low - 0.008 <= truth <= found.high + 0.008, found


def test_a_boundary_that_no_access_met_at_the_edge_has_no_positioning_time(mock: Extraction) -> None:
    found = one(mock, "head_positioning", "cylinder/write")
    assert found.value is None
    assert "skew hides" in found.reason
