"""What pages say to programs: schema.org's words, canonical addresses, feeds, files and how to cite."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.conf import LazySettings
from django.test import Client

from server.datasets.models import Release, ReleaseFile
from tests.e2e.walk import ANSWERED_404, PAGES
from tests.support.sample_archive import drive_model_curated, sample_archive
from tests.web.test_pages import get

pytestmark = pytest.mark.django_db
SITE = "https://archive.example"


@pytest.fixture(autouse=True)
def site(settings: LazySettings) -> None:
    settings.SITE_URL = SITE


def linked_data(page: str) -> dict[str, Any]:
    [text] = re.findall(r'<script type="application/ld\+json">(.*?)</script>', page, re.DOTALL)
    found: dict[str, Any] = json.loads(text)
    return found


def test_20_a_drives_page_says_its_numbers_in_schema_orgs_words(client: Client) -> None:
    model = sample_archive()
    found = linked_data(get(client, f"/drives/{model.slug}/"))
    assert (found["@type"], found["brand"]["name"]) == ("ProductModel", "Sampledata")
    assert found["url"] == f"{SITE}/drives/{model.slug}/"
    properties = {one["name"]: one for one in found["additionalProperty"]}
    outer = properties["Outer bandwidth"]
    assert (outer["value"], outer["unitText"]) == (9.68, "MB/s")
    assert outer["measurementTechnique"].startswith(f"{SITE}/methods/zoned/")
    assert "one unit" in outer["description"]
    addresses = [one["contentUrl"].removeprefix(SITE) for one in found["subjectOf"]["distribution"]]
    assert [client.get(address).status_code for address in addresses] == [200, 200]


def test_20_what_is_simulated_is_no_property_of_a_model(client: Client) -> None:
    model = sample_archive()
    model.aggregates.filter(provenance="probe").delete()
    names = [one["name"] for one in linked_data(get(client, f"/drives/{model.slug}/"))["additionalProperty"]]
    assert "Outer bandwidth" not in names


def test_20_markup_in_a_name_does_not_end_the_script(client: Client) -> None:
    model = drive_model_curated(vendor_name="Sampledata", model_name="</script><b>", simulated=False)
    page = get(client, f"/drives/{model.slug}/")
    assert linked_data(page)["model"] == model.number and "</script><b>" not in page


@pytest.mark.parametrize("name", sorted(PAGES.keys() - ANSWERED_404))
def test_20_every_page_names_its_own_address_and_a_feed(client: Client, name: str) -> None:
    address = PAGES[name](sample_archive())
    page = get(client, address)
    assert re.findall(r'rel="canonical"\s+href="([^"]*)"', page) == [f"{SITE}{address.partition('?')[0]}"]
    assert 'type="application/atom+xml"' in page


@pytest.mark.parametrize("name", ["drive", "run", "unit-detail", "drive-numbers", "batches", "batch"])
def test_20_pages_of_a_model_name_the_models_feed(client: Client, name: str) -> None:
    model = sample_archive()
    assert f'href="/drives/{model.slug}/feed.atom"' in get(client, PAGES[name](model))


def test_20_a_badge_has_a_page_with_what_to_write(client: Client) -> None:
    model = sample_archive()
    assert f'href="/drives/{model.slug}/badge/"' in get(client, f"/drives/{model.slug}/")
    page = get(client, f"/drives/{model.slug}/badge/")
    image, target = f"{SITE}/drives/{model.slug}/badge.svg", f"{SITE}/drives/{model.slug}/"
    assert f'src="/drives/{model.slug}/badge.svg"' in page
    assert f"[![Sample 9000 on DiskAtlas]({image})]({target})" in page
    assert f"&lt;a href=&#34;{target}&#34;&gt;&lt;img src=&#34;{image}&#34;" in page


def test_20_a_models_page_leads_to_its_files(client: Client) -> None:
    model = sample_archive()
    page = get(client, f"/drives/{model.slug}/")
    files = page[page.index('id="files-title"') :].partition("</section>")[0]
    addresses = re.findall(r'href="(/api/v1/[^"]+)"', files)
    assert any(address.endswith("statistics.csv") for address in addresses)
    assert {client.get(address.replace("&amp;", "&")).status_code for address in addresses} == {200}


def test_20_a_models_page_leads_to_no_file_without_rows(client: Client) -> None:
    model = drive_model_curated(vendor_name="Sampledata", model_name="Lonely")
    page = get(client, f"/drives/{model.slug}/")
    files = page[page.index('id="files-title"') :].partition("</section>")[0]
    assert "there is no table of its runs" in " ".join(files.split())
    assert 'href="/api/' not in files and "<details" not in files


def test_20_each_release_has_a_page(client: Client) -> None:
    release = Release.objects.create(
        **{"number": 1, "schema_version": "2.1", "log_size": 2, "checkpoint": "a\n2\nroot\n"},
        **{"began_at": "2026-01-01T00:00:00Z", "published_at": "2026-01-01T00:10:00Z", "state": "published"},
        **{
            "rows": {"samples": 5, "delta_runs": 0, "runs": 3, "measurements": 4},
            "changes": {"added": 3, "withdrawn": 0, "reextracted": 0},
        },
    )
    for path, table in (("SHA256SUMS", ""), ("csv/runs.csv.gz", "runs")):
        ReleaseFile.objects.create(
            release=release, path=path, table=table, storage_name="x", size_bytes=10, sha256="ab" * 32
        )
    assert 'href="/datasets/1/"' in get(client, "/datasets/")
    page = get(client, "/datasets/1/")
    assert linked_data(page)["version"] == "1"
    tables = [page.index(f'<th scope="row">{title}</th>') for title in ("Runs", "Measurements", "Samples")]
    assert tables == sorted(tables) and "<code>delta_runs</code>" in page
    assert "@misc{diskatlas-release-1," in page and "http://testserver/datasets/1/" in page
    assert 'href="/api/v1/releases/1/files/csv/runs.csv.gz"' in page
    assert client.get("/datasets/2/").status_code == 404
