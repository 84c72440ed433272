"""The guide's examples and the Python client, against a live server and the OpenAPI document."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_type_hints

import pytest
import yaml
from django.conf import LazySettings

from server.catalog.loading import catalog_load
from server.catalog.models import DriveModel
from server.measurements.models import Run
from server.subscriptions.events import events_list, run_events_add
from server.subscriptions.models import ArchiveEvent
from tests.support.sample_archive import SampleRun, sample_aggregate, sample_run

ROOT = Path(__file__).parents[3]
GUIDE = ROOT / "docs/user/api.md"
EXAMPLES = re.findall(r"^## (.+?)\n.*?^```python\n(.*?)^```", GUIDE.read_text(), flags=re.M | re.S)
SCHEMAS = yaml.safe_load((ROOT / "docs/reference/openapi.yaml").read_text())["components"]["schemas"]
ROWS = {"LiteratureValue": "Literature", "DriveName": "DriveField"}
SERIES = [
    {"variant": "read", "pattern": "outward", "from_blocks": [0, 0], "latency_ns": [9_000_000, 9_100_000]}
]


@pytest.fixture
def client_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make the client importable, as a copied folder is."""
    monkeypatch.syspath_prepend(str(ROOT / "client/python"))
    yield
    for name in [name for name in sys.modules if name.startswith("diskatlas_client")]:
        del sys.modules[name]


@pytest.fixture
def archive(transactional_db: None, live_server: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    """Serve the catalogue and three sample runs of a model that the guide names."""
    catalog_load()
    model = DriveModel.objects.get(slug="seagate-st2000nm0001")
    for _ in range(3):
        run = sample_run(SampleRun(vendor=model.vendor.name, model=model.number))
        assert Run.objects.get(pk=run.pk).drive_model_id == model.pk
    run_events_add(ArchiveEvent.Kind.RUN_WITHDRAWN, [run.pk])
    events_list()
    sample_aggregate(model, "zoned.outer_bandwidth", [150.0, 151.0, 152.0])
    part = {"kind": "seeker", "params": {}, "samples": {"series": SERIES}}
    monkeypatch.setattr(
        "server.measurements.samples.document_load", lambda _submission: {"benchmarks": [part] * 3}
    )
    return str(live_server.url)


def test_the_guide_has_an_example_for_each_task() -> None:
    assert len(EXAMPLES) == 14


def test_every_example_of_the_guide_runs_and_prints_something(
    archive: str, client_folder: None, capsys: pytest.CaptureFixture[str]
) -> None:
    for title, code in EXAMPLES:
        exec(compile(code.replace("https://archive.example", archive), title, "exec"), {})
        printed = capsys.readouterr().out
        assert printed.strip() or title == "Claims that were missed", f"{title} prints nothing"


def test_the_client_pages_waits_and_says_what_is_wrong(
    archive: str, client_folder: None, settings: LazySettings
) -> None:
    from diskatlas_client import Archive, ArchiveError  # type: ignore[import-not-found]  # a folder of its own

    waited: list[float] = []
    one = Archive(archive, wait=waited.append)
    assert len({run["id"] for run in one.runs(limit=1)}) == 3
    with pytest.raises(ArchiveError, match="no drive 'no-such'") as refused:
        list(one.runs(drive="no-such"))
    assert refused.value.status == 404
    settings.API_LIMITS = dict.fromkeys(settings.API_LIMITS, (0, 60))
    with pytest.raises(ArchiveError, match="Too many requests"):
        list(one.runs())
    assert len(waited) == 5 and all(0 < seconds <= 60 for seconds in waited)


def test_the_client_gives_parts_of_a_model_and_the_archive(archive: str, client_folder: None) -> None:
    from diskatlas_client import Archive, ArchiveError

    one, slug = Archive(archive), "seagate-st2000nm0001"
    assert [row["revision"] for row in one.firmware(drive=slug)] == ["S1"]
    parts = (one.batch(slug, "2026-w07"), one.revision(slug, "S1"), one.unit(slug, "ab" * 32))
    assert [part["runs"] for part in parts] == [3, 3, 3]
    assert one.overview(slug)["overviews"][0]["runs"] == 3
    assert set(one.statistics()) >= {"measured_runs", "samples"}
    assert list(one.wanted()) == [] or all(row["drive"] for row in one.wanted())
    with pytest.raises(ArchiveError, match="belongs to an account"):
        one.follows()


def test_the_client_compares_lists_charts_and_releases(archive: str, client_folder: None) -> None:
    from diskatlas_client import Archive, ArchiveError

    one, slug = Archive(archive), "seagate-st2000nm0001"
    runs = [f"run:{run['id']}" for run in one.runs(drive=slug)]
    found = one.comparison(*runs[:2], level=0.9)
    assert [group["letter"] for group in found["groups"]] == ["A", "B"]
    assert found["level"] == 0.9 and found["numbers"] and found["numbers"][0]["groups"][0]["n"] == 1
    kind = found["numbers"][0]["metric"].partition(".")[0]
    whole = one.comparison(*runs, kind=kind)["numbers"]
    assert whole and {number["metric"].partition(".")[0] for number in whole} == {kind}
    with pytest.raises(ArchiveError) as refused:
        one.comparison(slug)
    assert refused.value.status == 400
    assert list(one.releases()) == []
    assert [chart["kind"] for chart in one.drive_charts(slug)] == []
    assert all(chart["url"].startswith(archive) for chart in one.charts(runs[0].removeprefix("run:")))


def test_the_clients_rows_are_those_of_the_openapi_document(client_folder: None) -> None:
    from diskatlas_client import rows

    checked = 0
    for name, row in vars(rows).items():
        schema = SCHEMAS.get(ROWS.get(name, name))
        if not isinstance(row, type) or not hasattr(row, "__total__") or schema is None:
            continue
        extra = {"Run": {"measurements", "document"}, "Drive": {"summary"}}.get(name, set())
        assert set(get_type_hints(row)) == set(schema["properties"]) - extra, name
        checked += 1
    assert checked == 35
