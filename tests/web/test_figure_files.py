"""Figures as files: drawings, pictures, and how they are cited."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from django.conf import LazySettings
from django.test import Client

from server.core.lifecycle import State
from server.drawing.png import png_of
from server.measurements.model_charts import drive_charts_update
from server.measurements.models import Run
from server.web.assets import drawing_fonts
from tests.support.sample_archive import SampleRun, drive_model_curated, sample_archive, sample_run

pytestmark = pytest.mark.django_db
PLACE = "charts/zoned/profile"


def base_of(run: Run) -> str:
    return f"/runs/{run.run_id}/{PLACE}"


def test_a_runs_figure_is_drawn_with_its_address_and_licence(client: Client, settings: LazySettings) -> None:
    settings.SITE_URL = "https://atlas.example"
    run = sample_run()
    response = client.get(f"{base_of(run)}.svg")
    assert response["Content-Type"] == "image/svg+xml; charset=utf-8"
    assert "script" not in response["Content-Security-Policy"]
    words = " ".join(ElementTree.fromstring(response.content).itertext())
    assert f"https://atlas.example{base_of(run)}/" in words.replace(" ", "")
    assert run.license in words and "Sample data." in words


def test_a_model_has_its_figures_as_files_too(client: Client) -> None:
    model = sample_archive()
    drive_charts_update(drive_model_id=model.pk)
    base = f"/drives/{model.slug}/charts/probe/zoned/profile"
    for form, kind in (("svg", "image/svg+xml"), ("png", "image/png"), ("bib", "application/x-bibtex")):
        response = client.get(f"{base}.{form}")
        assert response.status_code == 200
        assert response["Content-Type"].startswith(kind)


def test_a_png_is_a_picture(client: Client) -> None:
    response = client.get(f"{base_of(sample_run())}.png")
    assert response["Content-Type"] == "image/png"
    assert response.content.startswith(b"\x89PNG")


def test_a_figure_is_cited_by_its_address_its_date_and_its_licence(client: Client) -> None:
    run = sample_run()
    (item,) = client.get(f"{base_of(run)}.csl.json").json()
    assert item["URL"].endswith(f"{base_of(run)}/")
    assert item["issued"]["date-parts"][0][0] == run.created_at.year
    assert run.license in item["note"]
    bibtex = client.get(f"{base_of(run)}.bib").content.decode()
    assert bibtex.startswith("@misc{diskatlas-zoned-profile-")
    assert f"url = {{{item['URL']}}}" in bibtex


def test_a_name_can_not_break_out_of_an_entry_of_a_bibliography(client: Client) -> None:
    run = sample_run(SampleRun(model="50% {Best} \\input{x}"))
    bibtex = client.get(f"{base_of(run)}.bib").content.decode()
    assert r"50\% \{Best\} \textbackslash{}input\{x\}" in bibtex


def test_an_unchanged_figure_is_not_sent_again(client: Client) -> None:
    address = f"{base_of(sample_run())}.svg"
    etag = client.get(address)["ETag"]
    answer = client.get(address, headers={"If-None-Match": etag})
    assert (answer.status_code, answer.content) == (304, b"")


def test_a_narrow_figure_fits_a_phone(client: Client) -> None:
    root = ElementTree.fromstring(client.get(f"{base_of(sample_run())}.svg?size=narrow").content)
    assert root.get("width") == "390"


def test_the_figures_of_a_run_under_review_are_nobodys(client: Client) -> None:
    held = sample_run(SampleRun(state=State.QUARANTINED))
    assert client.get(f"{base_of(held)}.svg").status_code == 404


@pytest.mark.parametrize("path", ["zoned/none.svg", "none/none.png", "zoned/profile.gif"])
def test_a_figure_that_is_not_there_is_not_found(client: Client, path: str) -> None:
    assert client.get(f"/runs/{sample_run().run_id}/charts/{path}").status_code == 404


def test_a_page_offers_each_figure_in_all_its_forms_and_draws_it_without_a_script(client: Client) -> None:
    run = sample_run()
    page = client.get(f"/runs/{run.run_id}/").content.decode()
    figure = page[page.index(f'data-chart-url="{base_of(run)}.json"') :]
    figure = figure[: figure.index("</figure>")]
    for form in ("svg", "png", "csv", "bib", "csl.json"):
        assert f'href="{base_of(run)}.{form}"' in figure
    assert f'<img class="drawing" src="{base_of(run)}.svg"' in figure[: figure.index("</noscript>")]
    assert "&lt;img src=" in figure
    assert "@misc{diskatlas-" in figure


def test_words_of_a_png_are_drawn_in_the_sites_typeface() -> None:
    fonts = drawing_fonts()
    if not fonts:
        pytest.skip("the front end is not built: make frontend")
    frame = '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="20">{}</svg>'
    words = '<text x="2" y="15" font-family="IBM Plex Sans" font-weight="{}">Aa 1</text>'
    drawn = {png_of(frame.format(words.format(weight)), fonts) for weight in (400, 600)}
    assert len(drawn) == 2
    assert png_of(frame.format(""), fonts) not in drawn


def test_a_profile_is_drawn_as_a_platter_too(client: Client) -> None:
    run = sample_run()
    page = client.get(f"/runs/{run.run_id}/").content.decode()
    assert 'aria-label="Zone 1: ' in page
    drawing = client.get(f"{base_of(run)}.svg?view=platter").content.decode()
    assert "The platter by bandwidth" in drawing and run.license in drawing


def test_a_link_to_a_model_is_shown_with_its_card(client: Client, settings: LazySettings) -> None:
    settings.SITE_URL = "https://atlas.example"
    model = sample_archive()
    drive_charts_update(drive_model_id=model.pk)
    page = client.get(f"/drives/{model.slug}/").content.decode()
    assert f'property="og:image" content="https://atlas.example/drives/{model.slug}/card.png"' in page
    card = client.get(f"/drives/{model.slug}/card.png")
    assert int.from_bytes(card.content[16:20]) == 1200
    assert client.get(f"/drives/{model.slug}/platter.svg").content.count(b"<path") > 1


def test_a_model_without_zones_has_a_card_and_a_grey_platter(client: Client) -> None:
    model = drive_model_curated(vendor_name="Sampledata", model_name="Lonely", simulated=False)
    assert client.get(f"/drives/{model.slug}/card.png").status_code == 200
    assert b"fill-opacity" in client.get(f"/drives/{model.slug}/platter.svg").content
    assert client.get("/drives/nothing/card.png").status_code == 404
