"""What caches may take for the same answer: nothing that another parameter, format or state would give."""

from __future__ import annotations

import json
import time

import pytest
from django.test import Client

from server.catalog.models import DriveModel
from server.model_stats.refresh import refresh_model
from tests.support.sample_archive import SampleRun, sample_archive, sample_run
from tests.support.sample_units import measured

pytestmark = pytest.mark.django_db


@pytest.fixture
def model() -> DriveModel:
    """The sample archive's model."""
    return sample_archive()


def tag(client: Client, address: str, accept: str = "application/json") -> str:
    response = client.get(f"/api/v1/{address}", headers={"Accept": accept})
    assert response.status_code == 200, address
    return response.headers["ETag"]


def test_each_parameter_and_format_of_an_address_has_a_tag_of_its_own(
    client: Client, model: DriveModel
) -> None:
    asked = (
        "runs/",
        "runs/?limit=1",
        "runs/?fields=id",
        "runs/?ordering=published_at",
        "runs/?provenance=simulated",
        "runs/?expand=measurements",
    )
    tags = [tag(client, address) for address in asked]
    tags += [
        tag(client, f"drives/{model.slug}/overview/", accept) for accept in ("application/json", "text/csv")
    ]
    assert len(set(tags)) == len(tags)
    answered = client.get(f"/api/v1/{asked[1]}", headers={"If-None-Match": tags[0]})
    assert answered.status_code == 200


@pytest.mark.parametrize("address", ["drives/", "runs/", "measurements/", "firmware/"])
def test_20_a_page_with_a_next_one_is_unchanged_hours_later(
    client: Client, model: DriveModel, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    sample_run(SampleRun(model="Other 1"))
    asked = f"/api/v1/{address}?limit=1"
    first = client.get(asked)
    assert first.json()["next"]
    later = time.time() + 6 * 3600
    monkeypatch.setattr("time.time", lambda: later)
    assert client.get(asked).content == first.content
    assert client.get(asked, headers={"If-None-Match": first["ETag"]}).status_code == 304


def test_what_changed_has_another_tag(client: Client, model: DriveModel) -> None:
    addresses = (f"drives/{model.slug}/", "drives/", f"drives/{model.slug}.json")
    before = [tag(client, address) for address in addresses]
    DriveModel.objects.filter(pk=model.pk).update(notes="Sample note.")
    after = [tag(client, address) for address in addresses]
    assert not set(before) & set(after)


@pytest.mark.parametrize("address", ["runs/", "runs.csv", "statistics/", "drives/nothing/", "runs/?nope=1"])
def test_a_cache_keeps_formats_and_encodings_apart(client: Client, model: DriveModel, address: str) -> None:
    """One address answers in several formats: a browser must not get what a script asked for before."""
    response = client.get(f"/api/v1/{address}", headers={"Accept-Encoding": "zstd"})
    varies = {name.strip().lower() for name in response.headers["Vary"].split(",")}
    assert {"accept", "accept-encoding"} <= varies
    assert response.headers["Cache-Control"] == "public, no-cache"


def test_a_comparison_that_is_kept_answers_for_its_level_its_kind_and_its_state_alone(
    client: Client,
) -> None:
    """What was compared is kept for a day: another level may not get the intervals of the first."""
    model = measured(1, 100.0).drive_model
    for unit, value, firmware in ((2, 101.0, "S1"), (3, 140.0, "S2"), (4, 141.0, "S2")):
        measured(unit, value, firmware=firmware)
    refresh_model(drive_model_id=model.pk)

    def asked(more: str = "") -> tuple[float, list[str], list[int]]:
        address = f"comparisons/?d={model.slug}~fw:S1&d={model.slug}~fw:S2{more}"
        told = json.loads(client.get(f"/api/v1/{address}").content)
        number = next(one for one in told["numbers"] if one["metric"] == "zoned.outer_bandwidth")
        interval = number["groups"][0]["interval"]
        metrics = sorted(one["metric"] for one in told["numbers"])
        return interval["high"] - interval["low"], metrics, [one["runs"] for one in told["groups"]]

    usual, headline, runs = asked()
    assert asked("&level=0.5")[0] < usual < asked("&level=0.99")[0]
    assert asked() == (usual, headline, [2, 2])
    assert asked("&kind=zoned")[1] != headline
    measured(5, 102.0, firmware="S1")
    refresh_model(drive_model_id=model.pk)
    assert asked()[2] == [3, 2] != runs
