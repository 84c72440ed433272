"""A small version of `make accuracy-random`: a few drives of two seeds, every kind that it draws for."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.support.probe import document_of, entry_of, probe_path, simtool_path
from tools.accuracy.corner_drives import CORNERS, corner
from tools.accuracy.stress import Job, judge_drive, line

SEEDS = (31415, 4711)
DRIVES = 3
"""Of each seed: all three layouts, spares, defects and caches are among them."""


@pytest.mark.timeout(600)
@pytest.mark.probe
@pytest.mark.parametrize("seed", SEEDS)
def test_no_number_of_a_drawn_drive_is_wrong_without_saying_so(seed: int, tmp_path: Path) -> None:
    probe, simtool = probe_path(), simtool_path()
    if probe is None or simtool is None:
        pytest.skip("the probe or diskatlas-simtool is not built: call `make build simtool`")
    jobs = [Job(number, seed, tmp_path, probe, simtool) for number in range(DRIVES)]
    rows = [row for job in jobs for row in judge_drive(job)]
    assert len({row.metric for _, row in rows}) > 15
    assert [line(words, row) for words, row in rows if row.failed] == []


@pytest.mark.probe
def test_a_drives_runs_read_places_of_their_own(tmp_path: Path) -> None:
    """Both runs of a drive were off by the same chance, and counted as two."""
    probe, simtool = probe_path(), simtool_path()
    if probe is None or simtool is None:
        pytest.skip("the probe or diskatlas-simtool is not built: call `make build simtool`")
    judge_drive(Job(0, SEEDS[0], tmp_path, probe, simtool, only=("access",)))
    clean, noisy = (
        {
            place
            for series in entry_of(document_of(file), "access")["samples"]["series"]
            if series["pattern"] == "random"
            for place in series["offset_blocks"]
        }
        for file in sorted(tmp_path.glob("*.json"))
    )
    assert len(clean & noisy) < len(clean) / 10


def test_corners_are_drawn_as_they_were_and_every_one_is_met() -> None:
    drives = [corner(number, 271828) for number in range(60)]
    assert drives == [corner(number, 271828) for number in range(60)]
    met = {name for drive in drives for name in drive.words.partition(";")[0].split(", ")}
    assert met == set(CORNERS)
    assert all(tomllib.loads(drive.text)["zones"] for drive in drives)
