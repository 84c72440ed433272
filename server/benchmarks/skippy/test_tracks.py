"""Tracks that are not all alike: spares at a cylinder's end, slipped sectors, lengths of no whole block."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path

import numpy as np
import pytest

from server.benchmarks.contract import Extraction, Quality
from server.benchmarks.skippy import KIND
from server.benchmarks.skippy.series import FloatArray
from server.benchmarks.skippy.test_skippy import FACTS, columns, entry_of, one, value
from tests.support.traces import skippy_entry

DRAWN = Path(__file__).resolve().parents[3] / "tests" / "data" / "drawn"
TURN_MS, HEAD_MS, CYLINDER_MS, MTM_MS = 8.333, 0.9, 1.7, 1.5
STEP_SHARE = 0.26


def platter(
    lengths: Callable[[int], float],
    heads: int,
    slots: float,
    gaps_ms: tuple[float, float] = (HEAD_MS, CYLINDER_MS),
) -> Extraction:
    """Growing and constant steps over tracks of these lengths; `slots` blocks pass in a turn."""
    return KIND.extract(entry_of(*walks(lengths, heads, slots, gaps_ms)), FACTS)


def walks(
    lengths: Callable[[int], float],
    heads: int,
    slots: float,
    gaps_ms: tuple[float, float] = (HEAD_MS, CYLINDER_MS),
    **place: object,
) -> tuple[dict[str, object], dict[str, object]]:
    """The series of growing and of constant steps; `place` says where on the disk they were."""
    ends = list(accumulate(lengths(track) for track in range(1500)))
    block_ms = TURN_MS / slots

    def angle(block: int) -> float:
        track = bisect_right(ends, block)
        cylinders = track // heads
        return block * block_ms + (track - cylinders) * gaps_ms[0] + cylinders * gaps_ms[1]

    def walk(start: int, steps: list[int], **changes: object) -> dict[str, object]:
        at, offsets, latencies = start, [], []
        for step in steps:
            to = at + step + 1
            turned = (angle(to) - angle(at)) % TURN_MS
            latencies.append(round((turned if turned >= MTM_MS else turned + TURN_MS) * 1e6))
            offsets.append(to)
            at = to
        made = columns(latencies, start_block=start, step_blocks=steps, offset_blocks=offsets)
        return made | place | changes

    growing = walk(37, list(range(round(1.4 * slots))))
    constant = walk(5 * round(slots), [round(STEP_SHARE * slots)] * 1500, pattern="constant")
    return growing, constant


@pytest.mark.parametrize(("track", "heads", "spares"), [(259, 6, 5), (259, 6, 1), (180, 12, 11)])
def test_spares_at_a_cylinders_end_do_not_shorten_the_track(track: int, heads: int, spares: int) -> None:
    found = platter(lambda n: track - (spares if n % heads == heads - 1 else 0), heads, track)
    assert value(found, "sectors_per_track", "outer") == track
    assert value(found, "surfaces") == heads
    assert value(found, "head_switch_gap", "outer") == pytest.approx(HEAD_MS, abs=0.01)
    assert value(found, "cylinder_switch_gap", "outer") == pytest.approx(CYLINDER_MS, abs=0.01)


@pytest.mark.parametrize(
    ("widths", "surfaces"), [((209, 209, 12), None), ((209, 12, 12), 12), ((12, 12, 12), 12)]
)
def test_a_narrow_band_at_one_place_is_no_cylinder(widths: tuple[int, ...], surfaces: int | None) -> None:
    """Where a zone ends a serpentine's last band is narrow: moves between surfaces come often there alone."""
    series = [
        walk
        for region, width in zip(("outer", "middle", "inner"), widths, strict=True)
        for walk in walks(lambda _n: 60, width, 60, region=region)
    ]
    found = one(KIND.extract(entry_of(*series), FACTS), "surfaces")
    assert found.value == surfaces
    assert surfaces or "more do not" in found.reason


def test_spares_that_make_both_gaps_alike_at_one_place_do_not_shorten_the_track() -> None:
    """Every second boundary comes early there, by as much as the other gap is longer."""
    outer = walks(lambda _n: 60, 2, 60, region="outer")
    inner = walks(lambda n: 58 - (4 if n % 2 else 0), 2, 58, (HEAD_MS, HEAD_MS), region="inner")
    found = KIND.extract(entry_of(*outer, *inner), FACTS)
    assert value(found, "surfaces") == 2
    track = one(found, "sectors_per_track", "inner")
    assert track.quality is not Quality.GOOD or track.value == 58, track
    assert track.low is not None and track.high is not None and track.low <= 58 <= track.high


@pytest.mark.parametrize(
    ("track", "heads", "spares"), [(60, 2, 4), (60, 2, 2), (60, 3, 3), (60, 3, 6), (120, 2, 2), (240, 2, 4)]
)
def test_spares_that_make_both_gaps_alike_everywhere_do_not_shorten_the_track(
    track: int, heads: int, spares: int
) -> None:
    """No place counts the surfaces, and the mean of a cylinder's tracks is a whole number of blocks."""
    found = platter(
        lambda n: track - (spares if n % heads == heads - 1 else 0), heads, track + 2, (HEAD_MS, HEAD_MS)
    )
    length = one(found, "sectors_per_track", "outer")
    assert length.value is None or length.value == track or length.quality is not Quality.GOOD, length
    if length.low is not None and length.high is not None:
        assert length.low <= track <= length.high, length


def test_tracks_of_one_surface_are_known_to_the_block() -> None:
    found = one(platter(lambda _: 240, 1, 245), "sectors_per_track", "outer")
    assert (found.value, found.low, found.high, found.quality) == (240, 240, 240, Quality.GOOD)


def test_a_length_that_the_steps_cannot_tell_from_others_names_them() -> None:
    # The constant step and the cylinder have a divisor of 15: the steps end on every fifteenth block only.
    found = one(platter(lambda n: 400 - (60 if n % 3 == 2 else 0), 3, 400), "sectors_per_track", "outer")
    assert found.quality is Quality.FAIR
    assert found.low is not None and found.high is not None
    assert found.low <= 400 <= found.high


def test_a_few_tracks_shortened_by_slipped_sectors_never_give_another_good_length() -> None:
    found = one(platter(lambda n: 240 - (3 if n % 97 == 40 else 0), 5, 240), "sectors_per_track", "outer")
    assert found.value == 240 or (found.quality is Quality.FAIR and "No whole number" in found.reason)
    assert found.low is not None and found.high is not None
    assert found.low <= 240 <= found.high


def test_a_spare_area_between_cylinders_moves_the_boundaries_and_not_the_length() -> None:
    found = platter(lambda n: 240 - (131 if n % 200 == 199 else 0), 5, 240)
    assert value(found, "sectors_per_track", "outer") == 240
    assert value(found, "surfaces") == 5


def test_tracks_of_no_whole_number_of_blocks_give_their_mean_and_say_so() -> None:
    found = one(platter(lambda n: 365.625, 6, 365.625), "sectors_per_track", "outer")
    assert found.quality is Quality.FAIR
    assert found.value == pytest.approx(365.625, abs=0.05)
    assert "No whole number" in found.reason


def test_tracks_that_differ_from_head_to_head_never_give_a_good_whole_number() -> None:
    lengths = (250, 246, 243, 249, 247, 244)
    found = one(platter(lambda n: lengths[n % 6], 6, 252), "sectors_per_track", "outer")
    assert found.quality is not Quality.GOOD


def slipping(heads: int, slots: int, spares: tuple[int, int], share: float) -> FloatArray:
    """Milliseconds under the head of each block, on a drive on which a `share` of all sectors hold no data.

    These have no number; the others move into the `spares`, those of each track and those of each cylinder.
    """
    random = np.random.default_rng(11)
    found: list[FloatArray] = []
    for cylinder in range(300):
        begins = cylinder * ((heads - 1) * HEAD_MS + CYLINDER_MS)
        tracks = []
        for head in range(heads):
            sound = np.flatnonzero(random.random(slots) >= share)[: slots - spares[0]]
            turned = (cylinder * heads + head) * TURN_MS + begins + head * HEAD_MS
            tracks.append(turned + sound * TURN_MS / slots)
        found.append(np.concatenate(tracks)[: heads * (slots - spares[0]) - spares[1]])
    return np.concatenate(found)


def over(angles: FloatArray, start: int, steps: list[int], pattern: str) -> dict[str, object]:
    at, offsets, latencies = start, [], []
    for step in steps:
        to = at + step + 1
        turned = (angles[to] - angles[at]) % TURN_MS
        latencies.append(round((turned if turned >= MTM_MS else turned + TURN_MS) * 1e6))
        offsets.append(to)
        at = to
    return columns(latencies, start_block=start, step_blocks=steps, offset_blocks=offsets, pattern=pattern)


@pytest.mark.parametrize("spares", [(2, 0), (0, 5), (2, 3)])
@pytest.mark.parametrize("share", [3e-4, 1.5e-3])
def test_slipped_sectors_make_no_serpentine_of_a_drive_in_cylinder_order(
    spares: tuple[int, int], share: float
) -> None:
    """Each puts the accesses over it a block beside the lines; a person reads the sawtooth all the same."""
    angles = slipping(5, 180, spares, share)
    series = [over(angles, 37, list(range(250)), "increasing"), over(angles, 41_000, [48] * 1500, "constant")]
    found = KIND.extract(entry_of(*series), FACTS)
    track = one(found, "sectors_per_track", "outer")
    assert track.value == 180 - spares[0], track
    assert value(found, "surfaces") == 5
    block_ms = TURN_MS / 180
    nominal = (
        ("head", HEAD_MS + spares[0] * block_ms),
        ("cylinder", CYLINDER_MS + (spares[0] + spares[1]) * block_ms),
    )
    for name, gap_ms in nominal:
        gap = one(found, f"{name}_switch_gap", "outer")
        assert gap.low is not None and gap.high is not None
        assert gap.low <= gap_ms <= gap.high, gap


def bands(lengths: list[int], tracks: int) -> Callable[[int], float]:
    """Milliseconds under the head from block 0, on a drive that fills `tracks` of one surface, then of the
    next; surfaces hold different numbers of blocks per track."""
    each = [length for length in lengths for _ in range(tracks)]
    ends = [0, *accumulate(each)]
    skews = list(accumulate(2.2 if track % tracks == 0 else 0.9 for track in range(1, len(each) + 1)))
    starts_ms = [track * 25 / 3 + skew for track, skew in enumerate([0.0, *skews])]

    def angle(block: int) -> float:
        track = bisect_right(ends, block) - 1
        return starts_ms[track] + (block - ends[track]) * 25 / 3 / each[track]

    return angle


def over_bands(
    angle: Callable[[int], float], start: int, steps: list[int], pattern: str
) -> dict[str, object]:
    at, offsets, latencies = start, [], []
    for step in steps:
        to = at + step + 1
        turned = (angle(to) - angle(at)) % (25 / 3)
        latencies.append(round((turned if turned >= 0.2 else turned + 25 / 3) * 1e6))
        offsets.append(to)
        at = to
    return columns(latencies, start_block=start, step_blocks=steps, offset_blocks=offsets, pattern=pattern)


@pytest.mark.parametrize(
    ("lengths", "tracks"),
    [
        ([353, 379, 361, 370, 375, 379, 378, 379, 364, 368, 356, 363], 150),
        ([363, 360, 368, 378, 372, 381, 364, 353, 379, 361, 370, 375], 200),
    ],
)
def test_walks_over_surfaces_that_differ_do_not_bend_the_turn(lengths: list[int], tracks: int) -> None:
    angle = bands(lengths, tracks)
    growing = over_bands(angle, 352_060, list(range(477)), "increasing")
    constant = over_bands(angle, 502_060, [60] * 2485, "constant")
    found = KIND.extract(skippy_entry(growing, constant, rotation_estimate_ns=8_333_333), FACTS)
    turn = one(found, "rotation_time")
    assert turn.value is not None and turn.low is not None and turn.high is not None
    assert turn.low <= 25 / 3 <= turn.high, turn


@pytest.mark.parametrize("spares", [2, 5])
@pytest.mark.parametrize("gaps_ms", [(HEAD_MS, CYLINDER_MS), (CYLINDER_MS, HEAD_MS)])
def test_spares_tell_which_of_two_surfaces_ends_the_cylinder(
    spares: int, gaps_ms: tuple[float, float]
) -> None:
    """Both boundaries come equally often: which is taken for the cylinder's is a guess at first."""
    found = platter(lambda n: 99 - (spares if n % 2 else 0), 2, 99, gaps_ms)
    assert value(found, "sectors_per_track", "outer") == 99
    for name, gap_ms in zip(("head_switch_gap", "cylinder_switch_gap"), gaps_ms, strict=True):
        gap = one(found, name, "outer")
        assert gap.quality is Quality.GOOD
        assert gap.value == pytest.approx(gap_ms, abs=0.01)


def test_two_surfaces_without_spares_leave_both_gaps_a_guess() -> None:
    found = platter(lambda _: 99, 2, 99)
    assert value(found, "sectors_per_track", "outer") == 99
    for name in ("head_switch_gap", "cylinder_switch_gap"):
        gap = one(found, name, "outer")
        assert gap.quality is Quality.FAIR
        assert gap.low is not None and gap.high is not None
        assert gap.low < HEAD_MS < CYLINDER_MS < gap.high


def test_five_spoiled_accesses_among_many_tries_are_no_cylinders() -> None:
    """Of all periods and phases some fit noise: what one finds must be more likely than that."""
    entry = json.loads((DRAWN / "surface-serpentine-19-heads.json").read_text(encoding="utf-8"))
    found = KIND.extract(entry, FACTS)
    assert one(found, "surfaces").value is None
    assert one(found, "head_switch_gap", "middle").value is None
    assert value(found, "sectors_per_track", "middle") == 47


@pytest.mark.parametrize(
    ("drive", "place", "track"),
    [("cylinder-18-heads", "60", 151), ("cylinder-18-heads", "85", 121), ("cylinder-20-heads", "85", 724)],
)
def test_few_noisy_tracks_in_cylinders_with_spares_are_right_or_in_their_interval(
    drive: str, place: str, track: int
) -> None:
    entry = json.loads((DRAWN / f"{drive}.json").read_text(encoding="utf-8"))
    found = one(KIND.extract(entry, FACTS), "sectors_per_track", place)
    assert found.value == track or found.quality is not Quality.GOOD, found
    assert found.low is not None and found.high is not None
    assert found.low <= track <= found.high, found
