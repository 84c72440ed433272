"""The Python client: tables of three libraries, files, waiting as told, and proof of what it fetched."""

from __future__ import annotations

import asyncio
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import format_datetime
from http.client import IncompleteRead
from pathlib import Path
from typing import Any

import pandas
import pytest
from django.conf import LazySettings

from server.catalog.models import DriveModel
from server.datasets.builder import release_build
from server.datasets.models import ReleaseFile
from server.datasets.storage import storage
from server.measurements.models import Benchmark, Run
from tests.server.api.test_client import client_folder as client_folder
from tests.support.details import ZONES
from tests.support.sample_archive import SampleRun, sample_run

ROOT = Path(__file__).parents[3]
README = ROOT / "client/python/README.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```", README.read_text(), flags=re.M | re.S)


@pytest.fixture
def archive(transactional_db: None, live_server: Any, client_folder: None) -> str:
    """Serve the zones of two models, one of them of 7,200 turns a minute. Sample data."""
    for number, rpm in (("Sample 7200", 7200), ("Sample 5400", 5400)):
        run = sample_run(SampleRun(model=number))
        DriveModel.objects.filter(pk=run.drive_model_id).update(rated_rpm=rpm)
    Benchmark.objects.filter(kind="zoned").update(details=ZONES)
    Run.objects.update(capacity_bytes=2048 * 10**6)
    return str(live_server.url)


def test_20_all_zone_tables_of_7200_rpm_drives_are_a_file_with_a_citation_in_under_ten_lines(
    archive: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    [code] = [one for one in EXAMPLES if "rpm=7200" in one]
    assert len(code.splitlines()) < 10
    exec(compile(code.replace("https://archive.example", archive), "README", "exec"), {})
    zones = pandas.read_csv("zones.csv")
    assert len(zones) == 3 and list(zones["mb_per_s"]) == [120, 100, 80]
    assert set(zones["drive_model"]) == {DriveModel.objects.get(rated_rpm=7200).slug}
    citation = Path("CITATION.txt").read_text()
    assert archive in citation and "publication log" in citation and "root " in citation


def test_rows_become_tables_of_pandas_polars_and_arrow(archive: str) -> None:
    from diskatlas_client import Archive  # type: ignore[import-not-found]  # a folder of its own

    one = Archive(archive)
    frames = (one.zones().to_pandas(), one.zones().to_polars(), one.zones().to_arrow().to_pandas())
    assert [len(frame) for frame in frames] == [6, 6, 6]
    assert all(sum(frame["mb_per_s"]) == 600 for frame in frames)
    runs = one.runs(limit=1).to_pandas()
    assert len(runs) == 2 and {"drive.slug", "key.keyid"} <= set(runs.columns)
    mixed = one.measurements().to_pandas()
    assert {"value", "unit_digest"} <= set(mixed.columns)


def test_lists_are_read_by_an_event_loop(archive: str) -> None:
    from diskatlas_client import ArchiveError, AsyncArchive

    async def read() -> tuple[list[str], int, str]:
        one = AsyncArchive(archive)
        ids = [run["run_id"] async for run in one.runs(limit=1)]
        with pytest.raises(ArchiveError):
            await one.drive("no-such")
        return ids, len(await one.zones().to_pandas()), (await one.run(ids[0]))["run_id"]

    ids, zones, first = asyncio.run(read())
    assert set(ids) == {str(run.pk) for run in Run.objects.all()} and zones == 6 and first == ids[0]


def test_async_rows_lose_none_over_many_pages(archive: str) -> None:
    from diskatlas_client import AsyncRows, Rows

    async def read() -> list[int]:
        return [row async for row in AsyncRows(Rows(iter(range(250))))]

    assert asyncio.run(read()) == list(range(250))


def test_the_client_waits_as_long_as_it_is_told(archive: str, settings: LazySettings) -> None:
    from diskatlas_client import Archive, ArchiveError
    from diskatlas_client.archive import _seconds  # type: ignore[import-not-found]  # a folder of its own

    waited: list[float] = []
    settings.API_LIMITS = {**settings.API_LIMITS, "read": (0, 60)}
    with pytest.raises(ArchiveError) as refused:
        Archive(archive, wait=waited.append).statistics()
    assert refused.value.status == 429 and len(waited) == 5 and all(0 < one <= 60 for one in waited)
    from datetime import UTC, datetime, timedelta

    later = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    assert 80 < (_seconds(later) or 0) <= 90
    assert (_seconds("7"), _seconds("soon"), _seconds(None)) == (7, None, None)


def test_an_archive_that_is_away_is_asked_again_and_then_told(client_folder: None) -> None:
    from urllib.error import URLError

    from diskatlas_client import Archive

    waited: list[float] = []
    with pytest.raises(URLError):
        Archive("http://127.0.0.1:9", wait=waited.append).statistics()
    assert waited == [1, 2, 4, 8, 16]


@contextmanager
def answering(*answers: bytes) -> Iterator[tuple[str, list[bytes]]]:
    """Answer one connection after the other with these bytes; give the address and what was asked."""
    asked: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            for each in answers:
                connection, _peer = server.accept()
                with connection:
                    asked.append(connection.recv(65536))
                    connection.sendall(each)

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}", asked
        thread.join(10)


def test_20_an_answer_that_never_came_is_asked_for_again(client_folder: None) -> None:
    from diskatlas_client import Archive

    waited: list[float] = []
    with answering(b"", b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}") as (address, asked):
        assert Archive(address, wait=waited.append).statistics() == {}
    assert waited == [1] and len(asked) == 2


def test_20_a_table_that_breaks_off_is_no_table(client_folder: None, tmp_path: Path) -> None:
    from diskatlas_client import Archive

    half = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nrun_id\r\n1\r\n"
    with answering(half) as (address, _asked), pytest.raises(IncompleteRead):
        Archive(address).save("zones", tmp_path / "zones.csv")
    assert not list(tmp_path.iterdir())


def test_20_a_redirect_takes_no_token_elsewhere(client_folder: None) -> None:
    from diskatlas_client import Archive

    with answering(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}") as (elsewhere, asked_there):
        moved = f"HTTP/1.1 302 Found\r\nLocation: {elsewhere}/file\r\nContent-Length: 0\r\n\r\n".encode()
        with answering(moved) as (address, asked):
            assert Archive(address, token="secret").read_bytes(f"{address}/file") == b"{}"
    assert b"secret" in asked[0] and b"secret" not in asked_there[0]


def test_20_a_releases_files_are_fetched_beside_an_event_loop(archive: str, tmp_path: Path) -> None:
    from diskatlas_client import AsyncArchive

    release_build(formats=["csv"])

    async def fetched() -> tuple[int, list[Path]]:
        release = await AsyncArchive(archive).release()
        return release.number, await release.download(tmp_path, table="metrics", format="csv")

    assert asyncio.run(fetched()) == (1, [tmp_path / "csv/metrics.csv.gz"])


def test_a_releases_files_are_checked_against_digests_that_the_log_holds(
    archive: str, tmp_path: Path
) -> None:
    from diskatlas_client import Archive, NotVerified

    release_build(formats=["csv"])
    release = Archive(archive).release()
    [path] = release.download(tmp_path, table="metrics", format="csv")
    assert path == tmp_path / "csv/metrics.csv.gz" and len(pandas.read_csv(path)) > 50
    assert "DiskAtlas" in release.citation()
    path.write_bytes(b"spoilt")
    assert release.download(tmp_path, table="metrics") == [path] and path.read_bytes() != b"spoilt"
    file = ReleaseFile.objects.get(path="csv/claims.csv.gz")
    storage().delete(file.storage_name)
    with storage().open(file.storage_name, "wb") as stored:
        stored.write(b"something else")
    with pytest.raises(NotVerified, match="another digest"):
        release.download(tmp_path, table="claims")
    assert not list(tmp_path.rglob("claims*"))


def test_digests_that_the_log_does_not_know_are_refused(archive: str, tmp_path: Path) -> None:
    from diskatlas_client import Archive, NotVerified

    release_build(formats=["csv"])
    sums = ReleaseFile.objects.get(path="SHA256SUMS")
    storage().delete(sums.storage_name)
    with storage().open(sums.storage_name, "wb") as stored:
        stored.write(b"0" * 64 + b"  csv/metrics.csv.gz\n")
    with pytest.raises(NotVerified, match="no leaf"):
        Archive(archive).release().download(tmp_path, table="metrics")


def test_a_token_goes_to_the_archive_alone(client_folder: None, monkeypatch: pytest.MonkeyPatch) -> None:
    from diskatlas_client import Archive
    from diskatlas_client import archive as module

    asked: list[Any] = []

    def opened(request: Any, timeout: float) -> Any:
        asked.append(request)
        raise OSError("nothing is asked in earnest")

    monkeypatch.setattr(module, "urlopen", opened)
    one = Archive("https://archive.example", token="secret")
    for address in ("https://archive.example/api/v1/runs/", "https://elsewhere.example/file"):
        with pytest.raises(OSError):
            one.read_bytes(address)
    assert [request.has_header("Authorization") for request in asked] == [True, False]
