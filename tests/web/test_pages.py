"""Pages as they come without a script."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.test import Client

from server.core.problems import PROBLEM_TYPES
from server.web.views import home
from tests.support.sample_archive import drive_model_curated, sample_archive, sample_literature
from tests.support.sample_kinds import SAMPLE_KINDS

pytestmark = pytest.mark.django_db


def get(client: Client, address: str, status: int = 200) -> str:
    response = client.get(address)
    assert response.status_code == status, response.content[:500]
    return response.content.decode()


def text_of(html: str) -> str:
    """Return the words of a page with single spaces."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html)).replace("\N{NO-BREAK SPACE}", " ")


def test_the_home_page_of_an_empty_archive_says_what_to_do(client: Client) -> None:
    page = get(client, "/")
    assert "No run has been published yet" in page
    assert 'href="/contribute/"' in page
    assert "<canvas" not in page


def test_the_home_page_counts_measured_and_simulated_runs_apart(client: Client) -> None:
    sample_archive()
    words = text_of(get(client, "/"))
    assert "Measured runs 3 " in words
    assert "Simulated runs, kept apart 1 " in words


def test_an_empty_drive_list_says_what_to_do(client: Client) -> None:
    assert "The archive holds no drives yet" in get(client, "/drives/")


def test_a_search_without_a_hit_says_what_was_searched_and_what_to_do(client: Client) -> None:
    sample_archive()
    page = get(client, "/drives/?q=nothing-like-it")
    assert "No drive model matches “nothing-like-it”" in page
    assert "Show all drives" in page


def test_the_drive_page_shows_statistics_and_the_published_value_beside(client: Client) -> None:
    model = sample_archive()
    page = get(client, f"/drives/{model.slug}/numbers/skippy/")
    row = text_of(page[page.index('id="measured-title"') :])
    assert "Rotation time whole drive 8.3333 ms 8.3310 to 8.3350 " in row
    assert "3 1 8.39 ms [1, Table 3] a " in row
    page = get(client, f"/drives/{model.slug}/")
    row = text_of(page[page.index('id="measured-title"') :])
    assert "Rotation time whole drive 8.3333 ms 8.3310 to 8.3350 one unit, 3 runs 1 3 8.39 ms" in row
    assert "Sample Author (2000). A sample document ." in row


def test_what_a_published_number_rests_on_stands_as_a_note(client: Client) -> None:
    model = sample_archive()
    page = get(client, f"/drives/{model.slug}/")
    assert '<li id="note-1">Sample note: printed as 8390 us.</li>' in page
    assert 'href="#note-1"' in page


def test_a_drive_with_published_values_alone_has_no_empty_columns(client: Client) -> None:
    model = drive_model_curated(vendor_name="Sampledata", model_name="Read About", simulated=False)
    sample_literature(model)
    words = text_of(get(client, f"/drives/{model.slug}/"))
    assert "Published values" in words
    assert "8.39 ms [1, Table 3]" in words
    assert "Middle half" not in words


def test_simulated_numbers_stand_in_their_own_marked_section(client: Client) -> None:
    model = sample_archive()
    page = get(client, f"/drives/{model.slug}/")
    measured, simulated = page.split('<section class="section simulated-zone"')
    assert "77.7 ms" not in text_of(measured)
    assert "77.7 ms" in text_of(simulated)
    assert "not from the drive" in simulated


def test_a_drive_without_runs_shows_what_is_published_and_asks_for_a_run(client: Client) -> None:
    model = drive_model_curated(vendor_name="Sampledata", model_name="Lonely", simulated=False)
    page = get(client, f"/drives/{model.slug}/")
    assert "Nobody has measured this model yet" in page
    assert "Measured runs" not in page


def test_an_unknown_drive_is_a_helpful_404(client: Client) -> None:
    page = get(client, "/drives/nothing/", 404)
    assert 'role="search"' in page
    assert "Not found" in page


def test_a_failure_of_the_archive_is_a_page_that_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise RuntimeError("sample failure")

    monkeypatch.setattr(home, "archive_counts", fail)
    page = get(Client(raise_request_exception=False), "/", 500)
    assert "The archive failed to answer" in page
    assert "sample failure" not in page
    assert 'role="search"' in page


def test_every_problem_type_has_a_page(client: Client) -> None:
    listing = get(client, "/problems/")
    for slug, kind in PROBLEM_TYPES.items():
        assert f"/problems/{slug}/" in listing
        assert kind.title in get(client, f"/problems/{slug}/")


def test_an_unknown_problem_type_is_not_found(client: Client) -> None:
    get(client, "/problems/no-such-problem/", 404)


def test_schemas_are_served_as_they_are_checked_by(client: Client) -> None:
    for name in ("run", *(kind.slug for kind in SAMPLE_KINDS)):
        response = client.get(f"/schema/{name}/v1.json")
        assert response.status_code == 200
        assert response["Content-Type"] == "application/schema+json"
        assert response.json()["$schema"].endswith("2020-12/schema")
    get(client, "/schema/nothing/v1.json", 404)


def test_a_method_page_defines_each_metric_where_numbers_lead_to(client: Client) -> None:
    page = get(client, "/methods/skippy/")
    assert 'id="rotation_time"' in page
    assert "Rotation time, as a sample." in page
    get(client, "/methods/nothing/", 404)
    assert "/methods/skippy/" in get(client, "/methods/")


def test_contribute_without_a_binary_says_how_to_build_one(
    client: Client, settings: LazySettings, tmp_path: Path
) -> None:
    settings.DOWNLOADS_DIR = tmp_path / "nothing"
    page = get(client, "/contribute/")
    assert "This server offers no binary yet" in page
    assert "cargo build --release" in page


def test_contribute_offers_each_binary_with_its_digest(
    client: Client, settings: LazySettings, tmp_path: Path
) -> None:
    settings.DOWNLOADS_DIR = tmp_path
    (tmp_path / "diskatlas-x86_64-unknown-linux-musl").write_bytes(b"sample")
    (tmp_path / "secret.txt").write_bytes(b"other")
    (tmp_path / "diskatlas-simtool-x86_64-unknown-linux-musl").write_bytes(b"other")
    page = get(client, "/contribute/")
    assert "af2bdbe1aa9b6ec1e2ade1d694f41fc71a831d0268e9891562113d8a62add1bf" in page
    assert "secret.txt" not in page
    assert "simtool" not in page
    response = client.get("/download/diskatlas-x86_64-unknown-linux-musl")
    assert b"".join(response) == b"sample"  # type: ignore[arg-type]
    for name in ("secret.txt", "..%2fsecret.txt", "diskatlas-none"):
        get(client, f"/download/{name}", 404)


def test_safety_comes_first_on_the_contribute_page(client: Client) -> None:
    words = text_of(get(client, "/contribute/"))
    assert words.index("Safety first") < words.index("Get the probe") < words.index("diskatlas list")


@pytest.mark.parametrize("cookie", ["dark", "light"])
def test_the_remembered_theme_comes_with_the_page(client: Client, cookie: str) -> None:
    client.cookies["theme"] = cookie
    response = client.get("/")
    assert f'<html lang="en" data-theme="{cookie}">' in response.content.decode()
    assert "Cookie" in response["Vary"]


def test_a_forged_theme_cookie_never_reaches_the_page(client: Client) -> None:
    client.cookies["theme"] = "x onload=alert(1)"
    assert '<html lang="en">' in get(client, "/")


def test_pages_carry_no_inline_script_and_no_inline_style(client: Client) -> None:
    model = sample_archive()
    others = ("/", "/drives/", "/contribute/", "/methods/zoned/", "/licenses/")
    for address in (*others, f"/drives/{model.slug}/"):
        # A block of JSON-LD is data, which no browser runs.
        page = get(client, address).replace('<script type="application/ld+json">', "")
        assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|javascript:", page), address


def test_a_page_does_not_change_anything(client: Client) -> None:
    assert client.post("/drives/").status_code == 405


def test_an_error_says_what_is_safe_and_where_to_go(client: Client) -> None:
    page = get(client, "/runs/01890a5d-ac96-774b-bcce-b302099a8057/", 404)
    assert "keeps one when it is withdrawn" in page
    assert 'href="/problems/"' in page
    assert page.count('role="search"') == 1
