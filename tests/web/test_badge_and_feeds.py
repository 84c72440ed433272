"""What other places show of a drive: its badge and its feed."""

from __future__ import annotations

from datetime import timedelta
from xml.etree import ElementTree

import pytest
from django.test import Client

from server.catalog.models import DriveModel
from server.web.badge import Badge, badge_svg
from tests.support.sample_archive import DAY, SampleRun, drive_model_curated, sample_archive, sample_run

pytestmark = pytest.mark.django_db
ATOM = "{http://www.w3.org/2005/Atom}"


def feed(client: Client, address: str) -> ElementTree.Element:
    response = client.get(address)
    assert response.status_code == 200
    assert response["Content-Type"].startswith("application/atom+xml")
    return ElementTree.fromstring(response.content)


def text(element: ElementTree.Element, name: str) -> str:
    found = element.find(f"{ATOM}{name}")
    assert found is not None and found.text, name
    return found.text


def test_a_badge_says_the_number_where_it_comes_from_and_of_how_many_runs(client: Client) -> None:
    model = sample_archive()
    response = client.get(f"/drives/{model.slug}/badge.svg")
    assert response["Content-Type"] == "image/svg+xml; charset=utf-8"
    root = ElementTree.fromstring(response.content)
    words = "".join(root.itertext())
    assert "Outer bandwidth 9.680 MB/s · measured, one unit, 3 runs" in words
    assert not [element for element in root.iter() if "href" in element.attrib]


def test_the_badge_of_a_simulated_drive_says_so(client: Client) -> None:
    model = sample_archive()
    model.aggregates.filter(provenance="probe").delete()
    assert "simulated drive, one run<" in client.get(f"/drives/{model.slug}/badge.svg").content.decode()


def test_the_badge_of_an_unmeasured_drive_has_no_number(client: Client) -> None:
    model = drive_model_curated(vendor_name="Sampledata", model_name="Lonely", simulated=False)
    assert "not measured yet" in client.get(f"/drives/{model.slug}/badge.svg").content.decode()
    assert client.get("/drives/nothing/badge.svg").status_code == 404


def test_an_unchanged_badge_is_not_sent_again(client: Client) -> None:
    address = f"/drives/{sample_archive().slug}/badge.svg"
    etag = client.get(address)["ETag"]
    assert client.get(address, headers={"If-None-Match": etag}).status_code == 304


def test_a_name_can_not_break_out_of_a_badge() -> None:
    svg = badge_svg(Badge('<script>"&', "'<b>", "#000000"))
    ElementTree.fromstring(svg)
    assert "<script>" not in svg and "<b>" not in svg


def test_the_feed_is_atom_with_ids_that_stay(client: Client) -> None:
    model = sample_archive()
    root = feed(client, "/feed.atom")
    assert root.tag == f"{ATOM}feed"
    assert text(root, "id") and text(root, "updated") and text(root, "title") == "Runs on DiskAtlas"
    assert root.find(f"{ATOM}author/{ATOM}name") is not None
    links = {link.get("rel"): link.get("href") for link in root.findall(f"{ATOM}link")}
    assert links["self"] == "http://testserver/feed.atom"
    entries = root.findall(f"{ATOM}entry")
    ids = {text(entry, "id") for entry in entries}
    assert ids == {f"urn:uuid:{run.pk}" for run in model.runs.all()}
    for entry in entries:
        assert text(entry, "updated").startswith("2026-03-1")
        assert text(entry, "title")


def test_a_feed_tells_simulated_runs_from_measured_ones(client: Client) -> None:
    sample_archive()
    newest = feed(client, "/feed.atom").find(f"{ATOM}entry")
    assert newest is not None and text(newest, "title").startswith("Simulated: ")
    assert "simulated" in {category.get("term") for category in newest.findall(f"{ATOM}category")}


def test_the_feed_of_a_drive_has_its_runs_alone(client: Client) -> None:
    model: DriveModel = sample_archive()
    sample_run(SampleRun(model="Other 1"))
    root = feed(client, f"/drives/{model.slug}/feed.atom")
    assert len(root.findall(f"{ATOM}entry")) == 4
    assert client.get("/drives/nothing/feed.atom").status_code == 404


def test_an_unchanged_feed_is_not_sent_again_and_a_new_run_is(client: Client) -> None:
    sample_archive()
    first = client.get("/feed.atom")
    assert client.get("/feed.atom", headers={"If-None-Match": first["ETag"]}).status_code == 304
    assert first["Last-Modified"]
    sample_run(SampleRun(at=DAY + timedelta(days=2)))
    again = client.get("/feed.atom", headers={"If-None-Match": first["ETag"]})
    assert again.status_code == 200


def test_an_empty_archive_has_an_empty_feed(client: Client) -> None:
    assert feed(client, "/feed.atom").findall(f"{ATOM}entry") == []
