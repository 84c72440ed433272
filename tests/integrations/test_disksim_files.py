"""The export for DiskSim, read by a reader of its grammar that the export shares nothing with."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from django.test import Client

from server.measurements.models import Run
from tests.integrations.disksim_reader import GrammarError, read
from tests.server.api.test_exports import run  # noqa: F401 -- a fixture: a run that can be exported

pytestmark = pytest.mark.django_db


@pytest.fixture
def text(client: Client, run: Run) -> str:  # noqa: F811 -- the fixture
    answer = client.get(f"/api/v1/drives/{run.drive_model.slug}/exports/disksim/")
    assert answer.status_code == 200, answer.content
    return answer.content.decode()


def test_20_disksims_grammar_takes_the_export(text: str, tool_count: Callable[[str, int, str], None]) -> None:
    model, disk = read(text)
    assert (model.module, disk.module) == ("dm_disk", "disksim_disk")
    assert disk.values["Model"] is model and disk.values["Scheduler"].module == "disksim_ioqueue"
    zones = model.values["Layout Model"].values["Zones"]
    surfaces = model.values["Number of data surfaces"]
    ends = [(one.values["First cylinder number"], one.values["Last cylinder number"]) for one in zones]
    assert ends[0][0] == 0 and ends[-1][1] == model.values["Number of cylinders"] - 1
    assert all(later[0] == earlier[1] + 1 for earlier, later in pairwise(ends))
    held = sum(
        (last - first + 1) * surfaces * one.values["Blocks per track"]
        for (first, last), one in zip(ends, zones, strict=True)
    )
    assert held >= model.values["Block count"]
    assert all(0 <= one.values["Skew for track switch"] < 1 for one in zones)
    mechanics = model.values["Mechanical Model"].values
    assert mechanics["Seek type"] == "hpl" and len(mechanics["HPL seek equation values"]) == 6
    tool_count("DiskSim's grammar", len(zones) + 4, "blocks")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Head switch time", "Head switching time"),
        ("Block count = ", "Block count = 0."),
        ("dm_mech_g1 {", "dm_mech_g9 {"),
        ("   Print stats = 1,\n", ""),
        ("slips = [],", "slips = [,"),
        ("Seek type = hpl,", "Seek type = hpl"),
        ("Percent error in rpms = 0.0", "Percent error in rpms = 1e-05"),
        ("_MODEL {", "_MODEL"),
    ],
)
def test_20_the_reader_refuses_what_disksim_would(text: str, before: str, after: str) -> None:
    assert before in text
    with pytest.raises(GrammarError):
        read(text.replace(before, after, 1))
