"""The page of a run: while its jobs run, when it is published, when it was refused."""

from __future__ import annotations

import csv
import io
import json
from uuid import uuid4

import pytest
from django.core.files.storage import storages
from django.core.management import call_command
from django.test import Client

from server.core.lifecycle import Provenance, State
from tests.support.sample_archive import SampleRun, sample_run
from tests.web.test_pages import get, text_of

pytestmark = pytest.mark.django_db

MARKUP = '<script>alert("x")</script>'


def test_a_published_run_shows_each_number_with_interval_count_and_quality(client: Client) -> None:
    run = sample_run()
    words = text_of(get(client, f"/runs/{run.run_id}/"))
    assert "Rotation time whole drive 8.3331 ms 8.3302 to 8.3360 460 good" in words
    assert "Sectors per track inner 121.4 blocks 119.0 to 123.8 460 fair Few tracks were passed." in words


def test_a_number_at_a_glance_says_when_it_is_not_good(client: Client) -> None:
    page = get(client, f"/runs/{sample_run().run_id}/")
    glance = text_of(page[page.index('id="key-title"') : page.index('id="kind-skippy"')])
    assert "7200.2 rpm 7197.6 to 7202.7 (95 %) poor" in glance
    assert "8.3302 to 8.3360 (95 %) Rotation rate" in glance


def test_where_there_is_no_number_the_reason_stands(client: Client) -> None:
    words = text_of(get(client, f"/runs/{sample_run().run_id}/"))
    assert "No number for Recording surfaces (whole drive) The layout looks serpentine" in words


def test_a_run_in_work_polls_its_status_and_refreshes_without_a_script(client: Client) -> None:
    run = sample_run(SampleRun(state=State.RECEIVED))
    page = get(client, f"/runs/{run.run_id}/")
    assert f'data-poll-url="/runs/{run.run_id}/status/"' in page
    assert '<noscript><meta http-equiv="refresh"' in page
    assert "Place 1 in the queue" in page
    fragment = client.get(f"/runs/{run.run_id}/status/")
    assert "X-Reload" not in fragment
    assert "<html" not in fragment.content.decode()


def test_a_published_run_does_not_poll(client: Client) -> None:
    run = sample_run()
    page = get(client, f"/runs/{run.run_id}/")
    assert "data-poll-url" not in page
    assert "http-equiv" not in page
    assert client.get(f"/runs/{run.run_id}/status/")["X-Reload"] == "true"


@pytest.mark.parametrize("state", [State.REJECTED, State.QUARANTINED])
def test_a_refused_run_says_why(client: Client, state: State) -> None:
    run = sample_run(SampleRun(state=state, reason="Sample reason: latency below the bus time."))
    words = text_of(get(client, f"/runs/{run.run_id}/"))
    assert f"This run is {state}." in words
    assert "Sample reason: latency below the bus time." in words


def test_a_simulated_run_cannot_be_mistaken(client: Client) -> None:
    page = get(client, f"/runs/{sample_run(SampleRun(provenance=Provenance.SIMULATED)).run_id}/")
    assert "This is a simulated drive." in page
    assert '<span class="badge simulated">' in page
    assert '<span class="badge measured">' not in page


def test_markup_in_a_model_name_is_shown_and_not_obeyed(client: Client) -> None:
    run = sample_run(SampleRun(model=MARKUP, vendor="Sampledata", reason=MARKUP))
    call_command("refresh_summaries")
    for address in (f"/runs/{run.run_id}/", f"/drives/{run.drive_model.slug}/", "/drives/", "/"):
        page = get(client, address)
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert" in page
    assert "<script>alert" not in get(client, "/drives/?q=%3Cscript%3Ealert(1)")


def test_every_chart_has_a_canvas_with_words_a_table_and_a_csv_link(client: Client) -> None:
    run = sample_run()
    page = get(client, f"/runs/{run.run_id}/")
    for kind, chart in (("skippy", "sawtooth-outer"), ("zoned", "profile"), ("seeker", "curve")):
        address = f"/runs/{run.run_id}/charts/{kind}/{chart}"
        figure = page[page.index(f'data-chart-url="{address}.json"') :]
        figure = figure[: figure.index("</figure>")]
        assert f'href="{address}.csv"' in figure
        assert 'aria-roledescription="chart"' in figure
        assert "Sample data." in figure
        assert "<table>" in figure


def test_a_long_chart_says_what_its_table_leaves_out_and_where_all_is(client: Client) -> None:
    run = sample_run()
    assert "first of each series" in get(client, f"/runs/{run.run_id}/")
    whole = get(client, f"/runs/{run.run_id}/charts/skippy/sawtooth-outer/")
    assert "Points 1 to 466 of 466" in whole


def test_chart_json_and_csv_hold_the_same_points(client: Client) -> None:
    run = sample_run()
    address = f"/runs/{run.run_id}/charts/zoned/profile"
    chart = client.get(f"{address}.json").json()
    assert chart["x"] == {"label": "Position", "unit": "GB", "scale": "linear"}
    rows = list(csv.DictReader(io.StringIO(get(client, f"{address}.csv"))))
    for series in chart["series"]:
        points = [(float(row["x"]), float(row["y"])) for row in rows if row["series"] == series["key"]]
        assert points == list(zip(series["x"], series["y"], strict=True))


@pytest.mark.parametrize("path", ["skippy/none.json", "none/none.csv", "skippy/none/"])
def test_a_chart_that_is_not_there_is_not_found(client: Client, path: str) -> None:
    get(client, f"/runs/{sample_run().run_id}/charts/{path}", 404)


def test_the_envelope_comes_byte_for_byte_and_the_page_has_its_digest(client: Client) -> None:
    run = sample_run()
    page = get(client, f"/runs/{run.run_id}/")
    address = f"/api/v1/runs/{run.run_id}/envelope/"
    assert f'href="http://testserver{address}"' in page
    response = client.get(address)
    assert json.loads(response.content)["payloadType"].startswith("application/vnd.diskatlas")
    assert len(response.content) == run.submission.size_bytes
    assert run.submission.digest in page
    assert f"diskatlas verify {run.run_id}.envelope.json" in page
    assert "cd" * 32 in page
    assert "No account has claimed the key" in page


def test_a_run_whose_envelope_is_lost_still_shows_its_numbers(client: Client) -> None:
    run = sample_run()
    storages["envelopes"].delete(run.submission.storage_name)
    words = text_of(get(client, f"/runs/{run.run_id}/"))
    assert "8.3331 ms" in words


def test_conditions_say_what_is_not_known_rather_than_no(client: Client) -> None:
    run = sample_run(SampleRun(conditions={"foreign_requests": None, "interrupted": True}))
    words = text_of(get(client, f"/runs/{run.run_id}/"))
    assert "not known whether others used the drive" in words
    assert "was stopped early" in words


def test_several_actuators_and_shingled_tracks_are_told_with_the_drive(client: Client) -> None:
    ranges = [{"offset_bytes": at, "length_bytes": 50_000_000_000} for at in (0, 50_000_000_000)]
    run = sample_run(SampleRun(device={"access_ranges": ranges, "shingled": "drive-managed"}))
    words = text_of(get(client, f"/runs/{run.run_id}/"))
    assert "2, each with a part of the blocks" in words
    assert "shingled tracks, drive-managed" in words


def test_an_unknown_run_is_not_found(client: Client) -> None:
    get(client, f"/runs/{uuid4()}/", 404)
    get(client, f"/runs/{uuid4()}/status/", 404)


def test_a_run_that_nothing_works_on_does_not_say_that_it_is_being_extracted(admin_client: Client) -> None:
    def words(state: State) -> str:
        return text_of(get(admin_client, f"/runs/{sample_run(SampleRun(state=state)).run_id}/"))

    assert "Its numbers are being extracted." in words(State.VALIDATED)
    rejected = words(State.REJECTED)
    assert "Its numbers were not extracted." in rejected and "being extracted" not in rejected
    assert " not extracted SEEKER" in rejected.replace("  ", " ") and " pending" not in rejected
