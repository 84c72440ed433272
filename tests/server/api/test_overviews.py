"""What pages say of a model and of the archive, as the API gives it; parts of a model; lists as lines."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client

from server.catalog.models import DriveModel
from server.core.lifecycle import State
from server.measurements import firmware
from server.measurements.firmware import firmware_list
from server.measurements.model_charts import drive_charts_update
from server.measurements.models import Batch, Run
from server.plausibility.peer_rank import run_peer_rank
from server.search.archive_counts import archive_counts_update
from server.submissions.models import Submission
from server.transparency.models import LogLeaf
from tests.support.derived_rows import derived_rows_refresh
from tests.support.sample_archive import DAY, SampleRun, sample_archive, sample_run
from tests.support.sample_registry import sample_kinds_registered

pytestmark = pytest.mark.django_db


@pytest.fixture
def model() -> DriveModel:
    """The sample archive's model."""
    return sample_archive()


def get(client: Client, address: str, status: int = 200) -> Any:
    response = client.get(f"/api/v1/{address}")
    assert response.status_code == status, response.content
    return json.loads(response.content)


def text(client: Client, address: str) -> str:
    response: Any = client.get(f"/api/v1/{address}")
    assert response.status_code == 200
    return b"".join(response.streaming_content).decode()


def test_the_archives_counts_are_those_of_the_first_page(client: Client, model: DriveModel) -> None:
    found = get(client, "statistics/")
    assert (found["models_measured"], found["measured_runs"], found["simulated_runs"]) == (1, 3, 1)


def test_an_archive_that_counted_nothing_says_so(client: Client) -> None:
    found = get(client, "statistics/")
    assert found["measured_runs"] == 0 and found["updated_at"] is None


def test_a_models_overview_keeps_measured_and_simulated_apart(client: Client, model: DriveModel) -> None:
    found = get(client, f"drives/{model.slug}/overview/")
    runs = {one["provenance"]: one["runs"] for one in found["overviews"]}
    assert runs == {"probe": 3, "simulated": 1}
    [measured] = [one for one in found["overviews"] if one["provenance"] == "probe"]
    assert [part["part"] for part in measured["batches"]] == ["2026-w07"]
    assert [part["label"] for part in measured["firmwares"]] == ["S1"]
    assert found["wanted"] == "Three runs of one unit: a second unit tells the model from the specimen."
    get(client, "drives/no-such/overview/", 404)


def test_what_is_wanted_is_listed(client: Client, model: DriveModel) -> None:
    [wanted] = get(client, "wanted/")["results"]
    assert wanted["drive"] == model.slug and wanted["rank"] == 30


def test_models_of_one_class_are_named_with_the_rule(client: Client, model: DriveModel) -> None:
    other = sample_run(SampleRun(model="Sample 9001")).drive_model
    for name in ("interface", "capacity_bytes", "rated_rpm", "year"):
        setattr(other, name, getattr(model, name))
    other.save()
    found = get(client, f"drives/{model.slug}/overview/")
    assert [one["drive"] for one in found["similar"]] == [other.slug]
    assert "the same interface" in found["similar_rule"]


def test_facets_count_as_the_websites_list_does(client: Client, model: DriveModel) -> None:
    other = sample_run(SampleRun(vendor="Otherdata", model="Sample 1")).drive_model
    derived_rows_refresh(drive_model_id=other.pk)
    archive_counts_update()
    vendor = {one["key"]: one for one in get(client, "facets/?vendor=sampledata")["facets"]}["vendor"]
    counts = {value["value"]: (value["count"], value["chosen"]) for value in vendor["values"]}
    assert counts == {"sampledata": (1, True), "otherdata": (1, False)}
    assert get(client, "facets/?vendor=sampledata&vendor=otherdata")["total"] == 2
    assert get(client, "facets/?vendor=sampledata")["total"] == 1
    get(client, "facets/?colour=red", 400)


def test_a_batch_a_revision_and_a_unit_have_addresses(client: Client, model: DriveModel) -> None:
    for address, group, query in (
        ("batches/2026-w07", f"{model.slug}~batch:2026-w07", "batch_year=2026&batch_week=7"),
        ("firmware/S1", f"{model.slug}~fw:S1", "firmware=S1"),
        (f"units/{'ab' * 32}", f"{model.slug}~unit:{'ab' * 6}", f"unit={'ab' * 32}"),
        (f"units/{'ab' * 6}", f"{model.slug}~unit:{'ab' * 6}", f"unit={'ab' * 32}"),
    ):
        found = get(client, f"drives/{model.slug}/{address}/")
        assert (found["group"], found["runs"], found["units"]) == (group, 3, 1), address
        assert found["provenance"] == "probe" and query in found["runs_url"]
        assert len(client.get(found["runs_url"]).json()["results"]) == 3
    for address in ("batches/2020-w01", "firmware/nothing", f"units/{'cd' * 32}", "units/x"):
        get(client, f"drives/{model.slug}/{address}/", 404)


def test_a_variant_has_an_address_its_runs_and_its_place_in_the_overview(client: Client) -> None:
    for index, variant in enumerate(("75WN4A0", "75WN4A0", "21WN4A0")):
        sample = SampleRun(vendor="ATA", model=f"WDC WD10EZEX-{variant}", unit=f"{index:064x}")
        slug = sample_run(sample).drive_model.slug
    found = get(client, f"drives/{slug}/variants/75WN4A0/")
    assert (found["group"], found["form"]) == (f"{slug}~variant:75WN4A0", "variant")
    assert (found["runs"], found["units"]) == (2, 2)
    assert len(client.get(found["runs_url"]).json()["results"]) == 2
    get(client, f"drives/{slug}/variants/00BN5A0/", 404)
    parts = get(client, f"drives/{slug}/overview/")["overviews"][0]["variants"]
    assert [(part["part"], part["key"], part["units"]) for part in parts] == [
        ("21WN4A0", f"{slug}~variant:21WN4A0", 1),
        ("75WN4A0", f"{slug}~variant:75WN4A0", 2),
    ]
    table = client.get(f"/api/v1/drives/{slug}/overview.csv").content.decode()
    assert f"variant,75WN4A0,75WN4A0,{slug}~variant:75WN4A0" in table
    compared = get(client, f"comparisons/?d={slug}~variant:75WN4A0&d={slug}~variant:21WN4A0")
    assert [group["runs"] for group in compared["groups"]] == [2, 1]


def test_runs_of_a_variant_are_asked_for_by_its_key(client: Client) -> None:
    slug = sample_run(SampleRun(vendor="ATA", model="WDC WD10EZEX-75WN4A0")).drive_model.slug
    sample_run(SampleRun(vendor="ATA", model="WDC WD10EZEX-21WN4A0", unit="c" * 64))
    key = f"{slug}~variant:75WN4A0"
    assert len(get(client, f"runs/?variant={quote(key)}")["results"]) == 1
    for wrong in ("75WN4A0", slug, f"{slug}~fw:S1"):
        assert "Write it with its model" in get(client, f"runs/?variant={wrong}", 400)["detail"]
    assert "75WN4A0" in get(client, f"runs/?variant={quote(key[:-1])}1", 422)["detail"]


def test_a_batch_with_any_label_has_an_address(client: Client, model: DriveModel) -> None:
    run = sample_run(SampleRun(unit="cd" * 32))
    run.batch = Batch.objects.create(drive_model=model, year=2026, week=8, label="rack ~7 & more")
    run.save()
    found = get(client, f"drives/{model.slug}/batches/{quote('2026-w08:rack ~7 & more')}/")
    assert found["runs"] == 1 and len(client.get(found["runs_url"]).json()["results"]) == 1


def revisions(model: DriveModel, *names: str) -> None:
    for name in names:
        run = sample_run(SampleRun(vendor=model.vendor.name, model=model.number))
        Run.objects.filter(pk=run.pk).update(firmware=name)


def test_firmware_is_listed_page_by_page_without_what_is_not_published(
    client: Client, model: DriveModel
) -> None:
    revisions(model, "B", "A", "A", "")
    other = sample_run(SampleRun(model="Sample 1")).drive_model
    held = sample_run(SampleRun(state=State.QUARANTINED))
    Run.objects.filter(pk=held.pk).update(firmware="HELD")
    seen, address = [], "firmware/?limit=1"
    while address:
        body = get(client, address)
        seen += [(row["drive"]["slug"], row["revision"]) for row in body["results"]]
        address = (body["next"] or "").partition("/api/v1/")[2]
    slug = model.slug
    assert seen == [(slug, "A"), (slug, "B"), (slug, "S1"), (other.slug, "S1")]
    assert len(get(client, f"firmware/?drive={slug}")["results"]) == 3
    get(client, "firmware/?drive=no-such", 404)
    get(client, "firmware/?cursor=forged", 404)


def test_firmware_comes_whole_as_csv_and_ndjson(
    client: Client, model: DriveModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    revisions(model, "A", "B")
    monkeypatch.setattr("server.api.framework.keyset.CHUNK_ROWS", 1)
    lines = text(client, "firmware.csv").splitlines()
    assert lines[0] == "drive.slug,drive.vendor,drive.number,drive_model,revision,group" and len(lines) == 4
    rows = [json.loads(line) for line in text(client, "firmware.ndjson?limit=2").splitlines()]
    assert [row["revision"] for row in rows] == ["A", "B"]


def test_firmware_steps_from_key_to_key(model: DriveModel) -> None:
    """The list of a model does not go on into the next one's."""
    sample_run(SampleRun(model="Sample 1"))
    assert [one.revision for one in firmware_list(limit=9, drive_model_id=model.pk)] == ["S1"]
    assert firmware_list(after=(model.pk, "S1"), limit=9, drive_model_id=model.pk) == []
    assert firmware_list(limit=1)[0].sort_key > firmware.BEFORE_ALL


def test_the_logs_leaves_come_whole_as_csv_and_ndjson(
    client: Client, model: DriveModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.api.framework.keyset.CHUNK_ROWS", 2)
    for index, submission in enumerate(Submission.objects.select_related("run").order_by("pk")):
        LogLeaf.objects.create(
            index=index, kind="published", digest=submission.digest, run_id=submission.run.pk, at=DAY
        )
    lines = text(client, "log/leaves.csv").splitlines()
    assert lines[0] == "index,kind,digest,run_id,at,version" and len(lines) == 5
    rows = [json.loads(line) for line in text(client, "log/leaves.ndjson?start=1&limit=2").splitlines()]
    assert [row["index"] for row in rows] == [1, 2]
    assert get(client, "log/leaves/?limit=2")["next"] == 2
    assert text(client, "tombstones.csv").startswith("run_id,digest,withdrawn_at")
    assert text(client, "releases.csv").startswith("number,url,published_at")


def test_a_models_charts_are_listed_and_given_with_their_spread(client: Client, model: DriveModel) -> None:
    with sample_kinds_registered():
        drive_charts_update(drive_model_id=model.pk)
        results = get(client, f"drives/{model.slug}/charts/")["results"]
        assert {(one["provenance"], one["units"]) for one in results} == {("probe", 1), ("simulated", 1)}
        chart = get(client, results[0]["url"].partition("/api/v1/")[2])
    assert chart["id"] == results[0]["id"] and chart["series"]


def test_a_model_without_charts_has_an_empty_list_and_a_chart_that_is_not_there_is_told(
    client: Client, model: DriveModel
) -> None:
    assert get(client, f"drives/{model.slug}/charts/") == {"results": []}
    get(client, f"drives/{model.slug}/charts/probe/zoned/profile/", 404)


def test_a_model_says_what_is_missing_of_it_as_its_page_does(client: Client, model: DriveModel) -> None:
    missing = get(client, f"drives/{model.slug}/overview/")["missing"]
    page = client.get(f"/drives/{model.slug}/").content.decode()
    assert missing and all(one["title"] in page for one in missing)


def test_a_run_says_how_it_stands_among_its_models_drives(client: Client, model: DriveModel) -> None:
    run = Run.objects.filter(provenance="probe", drive_model=model).first()
    assert run is not None
    found = get(client, f"runs/{run.run_id}/standing/")
    told = run_peer_rank(run=run)
    assert told is not None
    assert (found["confirming_keys"], found["other_units"]) == (told.confirming, told.other_units)
    assert [one["metric"] for one in found["numbers"]] == [one.metric for one in told.numbers]


def test_a_run_that_is_not_published_stands_nowhere(client: Client, model: DriveModel) -> None:
    run = Run.objects.filter(drive_model=model).first()
    assert run is not None
    Submission.objects.filter(pk=run.submission_id).update(state=State.QUARANTINED)
    assert get(client, f"runs/{run.run_id}/standing/", 404)["status"] == 404
