"""SKIPPY in each zone, from the probe's requests to the numbers, on a simulated drive of many zones."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from server.benchmarks.contract import Quality
from server.benchmarks.skippy import KIND
from tests.support.probe import Probe, probe_path, simtool_path
from tools.accuracy.kinds import facts_of
from tools.accuracy.random_truth import between

DRIVE = "ibm-ultrastar-xp"
"""The drive of the paper's section 4.2: eight zones from 184 to 120 sectors."""


@pytest.mark.timeout(600)
@pytest.mark.probe
@pytest.mark.parametrize("noise", ["off", "default"])
def test_places_between_the_regions_give_the_tracks_of_their_zones(noise: str, tmp_path: Path) -> None:
    probe, simtool = probe_path(), simtool_path()
    if probe is None or simtool is None:
        pytest.skip("the probe or diskatlas-simtool is not built: call `make build simtool`")
    command = [str(simtool), "truth", f"{DRIVE},noise=off", "--json"]
    truth = json.loads(subprocess.run(command, capture_output=True, check=True, timeout=300).stdout)
    assert len(truth["zones"]) > 3
    device = f"sim:{DRIVE},noise={noise},seed=1"
    options = ("--only", "skippy", "--writes", "destroy", f"--confirm={DRIVE[-4:]}")
    document = Probe(probe, tmp_path).run(device, tmp_path / "run.json", *options)
    (entry,) = (one for one in document["benchmarks"] if one["kind"] == "skippy")
    found = KIND.extract(entry, facts_of(document))
    numbers = {(one.metric, one.scope): one for one in found.measurements}
    expected = between(truth, entry)
    tracks = [one for one in expected if one.metric == "skippy.sectors_per_track"]
    assert len({one.truth for one in tracks}) > 3, "places lie in several zones"
    assert {one.bar for one in tracks} == {0.0}, "noise is no excuse for another count"
    wrong = []
    for one in expected:
        number = numbers[one.metric, one.scope]
        held = (
            number.low is not None
            and number.high is not None
            and number.low <= (one.truth or 0) <= number.high
        )
        if number.quality in (Quality.GOOD, Quality.FAIR) and not held:
            wrong.append(number)
    assert wrong == []
    good = [one for one in tracks if numbers[one.metric, one.scope].quality is Quality.GOOD]
    assert len(good) >= len(tracks) / 2
    assert len({row["zone"] for row in found.details["zones"]}) > 3
