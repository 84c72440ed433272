"""The edge of the sawtooth: what may pass for it, and how far its place is known."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from server.benchmarks.contract import Quality
from server.benchmarks.skippy import KIND, lines
from server.benchmarks.skippy.combine import thresholds
from server.benchmarks.skippy.findings import analyse
from server.benchmarks.skippy.media import Threshold, share_regions
from server.benchmarks.skippy.series import traces_of
from server.benchmarks.skippy.test_skippy import FACTS, columns, entry_of, mock_disk, one, value

CACHED = replace(FACTS, write_cache=True)
UNCACHED = replace(FACTS, write_cache=False)
BLOCK_MS = 8.333 / 150


def timed(latency_ns: list[int], think_ns: int, **changes: Any) -> dict[str, Any]:
    """A series whose requests follow `think_ns` after the completion before."""
    starts = np.concatenate([[0], np.cumsum(np.array(latency_ns[:-1]) + think_ns)])
    return columns(latency_ns, start_ns=[int(start) for start in starts], **changes)


def test_an_edge_of_writes_is_not_believed_where_the_cache_was_on_and_reads_have_another() -> None:
    writes, reads = columns(mock_disk(mtm_ms=0.8)), columns(mock_disk(mtm_ms=2.0), variant="backward")
    alone = one(KIND.extract(entry_of(writes), CACHED), "mtm", "outer/write")
    assert alone.quality is Quality.POOR
    assert "write cache was on" in alone.reason
    forward = columns(mock_disk(mtm_ms=2.0), variant="read")
    apart = one(KIND.extract(entry_of(writes, reads, forward), CACHED), "mtm", "outer/write")
    assert apart.quality is Quality.POOR
    beside = entry_of(columns(mock_disk(mtm_ms=2.1)), forward)
    assert one(KIND.extract(beside, CACHED), "mtm", "outer/write").quality is Quality.GOOD


def test_no_write_comes_sooner_than_reads_unless_the_cache_is_known_to_be_off() -> None:
    entry = entry_of(columns(mock_disk(mtm_ms=0.8)), columns(mock_disk(mtm_ms=2.0), variant="read"))
    unknown = one(KIND.extract(entry, FACTS), "mtm", "outer/write")
    assert unknown.quality is Quality.POOR
    assert "No write reaches the medium sooner" in unknown.reason
    assert one(KIND.extract(entry, UNCACHED), "mtm", "outer/write").quality is Quality.GOOD
    slower = entry_of(columns(mock_disk(mtm_ms=3.2)), columns(mock_disk(mtm_ms=2.0), variant="read"))
    assert one(KIND.extract(slower, FACTS), "mtm", "outer/write").quality is Quality.GOOD


def test_reads_that_a_cache_answers_do_not_bear_out_a_write_that_one_took() -> None:
    """Below the time of one block no read came from the medium, yet it made the write look late enough."""
    entry = entry_of(
        columns(mock_disk(mtm_ms=0.8)),
        columns(mock_disk(mtm_ms=2.0), variant="backward"),
        columns(mock_disk(mtm_ms=2.0), variant="read"),
    )
    write, backward, read = analyse(traces_of(entry["samples"]), (8.333,))
    assert read.threshold is not None
    answered = replace(read, threshold=replace(read.threshold, latency_ms=0.01))
    (mtm, *_) = [
        one
        for one in thresholds((write, backward, answered), None)
        if (one.metric, one.scope) == ("skippy.mtm", "outer/write")
    ]
    assert mtm.quality is Quality.POOR


def test_the_time_to_media_counts_from_when_the_request_was_handed_over() -> None:
    think_ms = 0.2
    latency = mock_disk(mtm_ms=2.0, steps=700)
    # The platter turns on while the host thinks, so what is left to turn at the request is shorter.
    seen = [_later(one_ns, think_ms, 2.0) for one_ns in latency]
    found = KIND.extract(entry_of(timed(seen, round(think_ms * 1e6))), FACTS)
    assert value(found, "mtm", "outer/write") == pytest.approx(2.0, abs=BLOCK_MS / 2 * 1.02)
    assert value(found, "rotation_time") == pytest.approx(8.333, rel=1e-4)


def _later(latency_ns: int, think_ms: float, mtm_ms: float) -> int:
    left_ms = (latency_ns / 1e6 - think_ms) % 8.333
    return round((left_ms if left_ms >= mtm_ms else left_ms + 8.333) * 1e6)


def test_accesses_that_miss_for_other_reasons_do_not_move_the_edge_far() -> None:
    latency = mock_disk(mtm_ms=2.0, steps=700)
    randomly = np.random.default_rng(5)
    lost = [ns + 8_333_000 if ns < 8e6 and randomly.random() < 0.6 else ns for ns in latency]
    found = one(KIND.extract(entry_of(columns(lost, variant="write")), FACTS), "mtm", "outer/write")
    assert found.low is not None and found.high is not None
    assert found.low <= 2.0 <= found.high


def test_an_edge_that_one_of_many_series_shows_is_poor() -> None:
    noise = [int(8e6 + (k * 7919) % 300_000) for k in range(450)]
    silent = [columns(noise, region=region) for region in ("middle", "inner")]
    alone = one(KIND.extract(entry_of(columns(mock_disk()), *silent), UNCACHED), "mtm", "outer/write")
    assert alone.quality is Quality.POOR
    assert "nothing bears it out" in alone.reason
    heard = entry_of(columns(mock_disk()), columns(mock_disk(), region="middle"), silent[1])
    assert one(KIND.extract(heard, UNCACHED), "mtm", "outer/write").quality is Quality.GOOD


def edge(low_ms: float, high_ms: float) -> Threshold:
    return Threshold((low_ms + high_ms) / 2, low_ms, high_ms, 30.0, 9, 9)


def test_regions_that_contradict_each_other_get_the_interval_of_all() -> None:
    found = share_regions([(edge(1.00, 1.04), 0.02), (edge(1.10, 1.14), 0.02)])
    assert all((one.low_ms, one.high_ms) == pytest.approx((1.00, 1.14)) for one in found)


def test_a_transfer_that_a_slow_bus_hides_is_no_part_of_what_regions_share() -> None:
    """Inner blocks take longer to pass, and where the bus is slower still the shortest write does not."""
    found = share_regions([(edge(4.86, 4.96), 0.02), (edge(4.85, 4.95), 0.08)])
    assert all(one.low_ms <= 4.94 <= one.high_ms for one in found)


def test_a_sliver_that_regions_have_in_common_is_no_interval() -> None:
    first, second = share_regions([(edge(1.00, 1.10), 0.02), (edge(1.099, 1.20), 0.02)])
    assert first.high_ms - first.low_ms == pytest.approx(0.1 / 2**0.5)
    assert second.latency_ms == pytest.approx(first.latency_ms) == pytest.approx(1.0995)


def test_a_stretch_that_settles_on_a_turn_of_less_than_nothing_is_no_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Noise without any line sends fits anywhere: the longest straight stretch is then none of those."""
    turns = iter((-3.0, 8.0, math.nan, -1.0, 8.1))

    def settled(*_: object) -> lines.Lines:
        return lines.Lines(next(turns), 0.04, 0.0, 0.4)

    monkeypatch.setattr(lines, "_settle", settled)
    distance = np.arange(1, 401)
    elapsed = np.random.default_rng(1).random(400) * 8.0
    found = lines._longest_straight(elapsed, distance, 8.0, 0.04)
    assert found.turn_ms in (8.0, 8.1)


@pytest.mark.parametrize("share", [0.65, 0.75, 0.8])
def test_an_edge_late_in_the_turn_is_held_where_it_lies(share: float) -> None:
    """Fast spindles behind slow interfaces have one: the search ended at 0.7 of a turn, and gave that."""
    mtm_ms = share * 8.333
    found = one(KIND.extract(entry_of(columns(mock_disk(mtm_ms=mtm_ms))), FACTS), "mtm", "outer/write")
    assert found.value is not None and found.low is not None and found.high is not None
    assert found.value == pytest.approx(mtm_ms, abs=2 * BLOCK_MS)
    assert found.low <= mtm_ms <= found.high


def test_an_edge_with_hardly_an_access_behind_it_is_declined() -> None:
    found = one(KIND.extract(entry_of(columns(mock_disk(mtm_ms=0.95 * 8.333))), FACTS), "mtm", "outer/write")
    assert found.value is None and "edge" in found.reason
