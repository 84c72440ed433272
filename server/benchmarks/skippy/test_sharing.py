"""What is worked out together gives what each would give alone, and who is asked for what all share."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from server.benchmarks.skippy import KIND, follow
from server.benchmarks.skippy.boundaries import Labelled, Shape, agree
from server.benchmarks.skippy.findings import first_of_all
from server.benchmarks.skippy.follow import Fit, surer, with_rival
from server.benchmarks.skippy.lines import turn_candidates
from server.benchmarks.skippy.series import FloatArray, traces_of
from server.benchmarks.skippy.steps import Steps
from server.benchmarks.skippy.test_skippy import columns, entry_of, mock_disk, one
from server.benchmarks.skippy.tracks import Period, _around, place, places
from tests.support import traces


def labelled(shape: Shape, starts: FloatArray) -> Labelled:
    """Steps over boundaries of the shape, a tenth of which show something else."""
    random = np.random.default_rng(7)
    series = np.repeat(np.arange(len(starts)), 200)
    low = random.integers(0, 40_000, len(series)).astype(np.float64)
    high = low + random.integers(1, 500, len(series))
    tracks, cylinders = shape.crossed(low, high, starts[series])
    tracks[random.random(len(series)) < 0.1] += 1
    steps = Steps(low, high, low, series, np.arange(len(series)), 8.0, 0.02, 0.0, len(starts))
    return Labelled(steps, tracks, tracks if shape.heads == 1 else cylinders, 1.0)


def test_a_track_and_a_cylinder_that_are_both_a_block_too_long_are_not_the_best() -> None:
    """Neither alone explains more one block shorter: 725 blocks of 724, good, on a drive without noise."""
    near = {(one.track, one.cylinder) for one in _around(Shape(725, 20, 14424), 1)}
    assert (724, 14423) in near


@pytest.mark.parametrize("heads", [1, 3])
def test_shapes_placed_together_lie_where_each_lies_alone(heads: int) -> None:
    starts = np.array([17.0, 130.0, 301.0])
    truth = Shape(211, heads, 211 * heads - (5 if heads > 1 else 0))
    few = labelled(truth, starts)
    shapes = [replace(truth, track=truth.track + by, cylinder=truth.cylinder + heads * by) for by in range(4)]
    reaches = [40.0, 25.0, 40.0, 90.0]
    together = places(few, shapes, starts + 9, reaches)
    for shape, reach, found in zip(shapes, reaches, together, strict=True):
        alone = place(few, shape, starts + 9, reach)
        assert (found.score, found.start.tolist()) == (alone.score, alone.start.tolist())
        assert found.score == agree(few, shape, found.start).sum()
    assert np.abs(together[0].start - starts).max() < 3
    assert together[0].score == max(found.score for found in together)


def test_courses_of_several_series_are_those_of_each_alone() -> None:
    random = np.random.default_rng(5)
    costs = []
    for states, blocks in ((3, 20), (5, 33), (1, 4), (4, 9)):
        cost = (random.random((states, blocks * follow.BLOCK - 3)) < 0.4).astype(np.float64)
        half = cost.shape[1] // 2
        cost[0, :half], cost[-1, half:] = 0.0, 0.0
        costs.append(cost)
    together = follow.cheapest_courses(costs, 4.0)
    assert together == [follow.cheapest_courses([cost], 4.0)[0] for cost in costs]
    assert [[state for _, state in found] for found in together] == [[0, 2], [0, 4], [0], [0, 3]]


def test_series_that_walk_down_have_no_say_in_the_turn_where_writes_show_it() -> None:
    down, up = columns(mock_disk(), variant="backward"), columns(mock_disk())
    for entry, asked in ((entry_of(down, up), [False, True]), (entry_of(down), [True])):
        found = traces_of(entry["samples"])
        firsts = first_of_all(found, [True] * len(found), turn_candidates(found, (8.333,)))
        assert [lines is not None for lines in firsts] == asked


def test_no_write_cache_is_seen_where_whole_series_are_explained_no_better_one_access_late() -> None:
    """The tracks of this drive differ from surface to surface: in short pieces both readings fit a little."""
    drive = "MAXTOR_ATLAS10K5_300"
    found = KIND.extract(traces.skippy_entry_of(drive, "w"), traces.facts(drive))
    assert "write cache" not in one(found, "mtm", "outer/write").reason
    cached = "SEAGATE_ST34501N_Cheetah4LP"
    found = KIND.extract(traces.skippy_entry_of(cached, "w_wce_on"), traces.facts(cached))
    assert "write cache answers" in one(found, "mtm", "outer/write").reason


def test_of_two_readings_that_explain_as_much_the_interval_holds_all_that_either_leaves_open() -> None:
    starts = np.array([5.0])
    shape = Shape(55, 2, 111)
    few = labelled(shape, starts)
    period = Period(55, 1.0, 4.0, 55, 55, len(few.tracks))
    fit = Fit(few.steps, few, place(few, shape, starts, 9.0), period, None, 2.0, 1.0)
    other = replace(fit, period=replace(period, length=56, low=56, high=59))
    found = surer(fit, other)
    assert not found.told
    assert (with_rival(found).period.low, with_rival(found).period.high) == (55, 59)
