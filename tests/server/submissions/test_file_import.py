"""Files dropped into the archive's page: what is shown, what is stored only after consent, and what such a
run says of itself. The files are samples of tools' forms, of no drive."""

from __future__ import annotations

import json
import re
import stat
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from server.core.envelope_store import envelope_load
from server.core.large_bodies import large_turn, turn_taken
from server.core.lifecycle import Provenance, State
from server.core.problems import Problem
from server.measurements.model_measurements import model_measurements_read
from server.measurements.models import Run
from server.submissions import import_program
from server.submissions.file_import import import_publish
from server.submissions.import_program import CannotRead, DriveFacts, DroppedFile, NotRead, files_read
from server.submissions.models import FileImport, Submission
from tests.support.documents import document, envelope
from tests.support.probe import ROOT, probe_path

DATA = ROOT / "client/probe/tests/data/import"
ADDRESS = "/contribute/import/"


def reader() -> Path:
    """The probe with the page's reader: the released one, or the one that tests of the probe left."""
    built = ROOT / "client/probe/target/debug/diskatlas"
    for path in (probe_path(), built):
        if path and path.is_file():
            asked = subprocess.run([path, "import-page"], input=b"{}", capture_output=True, check=False)
            if asked.returncode == 1:
                return path
    pytest.skip("no probe with import-page is built: call `make probe`")


@pytest.fixture
def program(settings: LazySettings) -> Path:
    settings.IMPORT_PROGRAM = reader()
    return Path(settings.IMPORT_PROGRAM)


def upload(*names: str) -> list[SimpleUploadedFile]:
    return [SimpleUploadedFile(name, (DATA / name).read_bytes()) for name in names]


def drop(client: Client, *names: str, **facts: str) -> Any:
    return client.post(ADDRESS, {"files": upload(*names), **facts})


def offer_in(response: Any) -> str:
    found = re.search(r'name="offer" value="([^"]+)"', response.content.decode())
    assert found, response.content.decode()
    return found[1]


def consent(client: Client, offer: str, license: str = "CC0-1.0") -> Any:
    return client.post(ADDRESS, {"offer": offer, "license": license, "consent": "1"})


def words(response: Any) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", response.content.decode()))


class TestWithTheProgram:
    """What the real reader makes of files."""

    pytestmark = pytest.mark.django_db

    def test_files_are_shown_and_nothing_is_stored_before_consent(
        self, client: Client, program: Path
    ) -> None:
        response = drop(client, "zcav.txt", "identity.json")
        assert response.status_code == 200
        shown = words(response)
        assert "Nothing is stored yet" in shown
        assert "EXAMPLE DISK-8" in shown
        assert "SAMPLE0001" not in response.content.decode()
        assert not Submission.objects.exists()
        assert not Run.objects.exists()

    def test_consent_publishes_a_run_that_says_no_probe_signed_it(
        self,
        client: Client,
        program: Path,
        queue: list[tuple[str, str]],
        run_jobs: Callable[[], None],
        django_capture_on_commit_callbacks: Any,
    ) -> None:
        offer = offer_in(drop(client, "fio-json-plus.json", "reads_lat.1.log", "identity.json"))
        with django_capture_on_commit_callbacks(execute=True):
            response = consent(client, offer, "CC-BY-4.0")
        assert response.status_code == 302
        run_jobs()
        run = Run.objects.get()
        assert run.submission.state == State.PUBLISHED, [one.reason for one in run.submission.events.all()]
        assert run.provenance == Provenance.IMPORTED
        assert (run.in_browser, run.license) == (True, "CC-BY-4.0")
        assert words(client.get(f"/runs/{run.pk}/")).count("No probe signed it") == 1
        assert "Imported in a browser, unsigned" in words(client.get(f"/drives/{run.drive_model.slug}/"))
        assert "Imported in a browser, unsigned: " in client.get("/feed.atom").content.decode()
        assert client.get(f"/api/v1/runs/{run.pk}/").json()["in_browser"] is True
        # It is in no number, and its envelope can be checked like any other's.
        assert model_measurements_read(drive_model_id=run.drive_model_id).runs == ()
        stored = envelope_load(digest=run.submission.digest, name=run.submission.storage_name)
        assert json.loads(stored)["signatures"][0]["keyid"] == run.submission.probe_key.keyid
        assert "your run of a" in words(client.get(response["Location"])).lower()

    def test_the_same_consent_twice_makes_one_run_and_the_same_files_lead_to_it(
        self, client: Client, program: Path, queue: list[tuple[str, str]]
    ) -> None:
        offer = offer_in(drop(client, "zcav.txt", "identity.json"))
        assert consent(client, offer)["Location"] == consent(client, offer)["Location"]
        again = consent(client, offer_in(drop(client, "zcav.txt", "identity.json")))
        assert again.status_code == 409
        assert f"/runs/{Run.objects.get().pk}/" in again.content.decode()
        assert Submission.objects.count() == FileImport.objects.count() == 1

    def test_whoever_imported_it_takes_it_back_and_may_import_it_again(
        self, client: Client, program: Path, queue: list[tuple[str, str]]
    ) -> None:
        own = consent(client, offer_in(drop(client, "zcav.txt", "identity.json")))["Location"]
        assert client.post(own).status_code == 302
        assert Submission.objects.get().state == State.WITHDRAWN
        assert "taken back" in words(client.get(own))
        assert client.get("/contribute/import/other/").status_code == 404
        again = consent(client, offer_in(drop(client, "zcav.txt", "identity.json")))
        assert again.status_code == 302
        assert Submission.objects.exclude(state=State.WITHDRAWN).count() == 1

    def test_without_licence_or_consent_nothing_is_kept(self, client: Client, program: Path) -> None:
        offer = offer_in(drop(client, "zcav.txt", "identity.json"))
        for fields in (
            {"license": "CC0-1.0"},
            {"consent": "1"},
            {"license": "MIT", "consent": "1"},
        ):
            assert client.post(ADDRESS, {"offer": offer, **fields}).status_code == 422
        assert client.post(ADDRESS, {"offer": offer[:-1] + "x", "license": "CC0-1.0"}).status_code == 422
        assert not Submission.objects.exists()

    @pytest.mark.parametrize(
        ("files", "reason"),
        [
            (("zcav.txt",), "nothing says which drive it was"),
            (("identity.json",), "nothing was measured here"),
            (("zcav.txt", "hdtune.txt", "identity.json"), "import each tool by itself"),
            (("w4k_lat.1.log", "identity.json"), "logs alone"),
        ],
    )
    def test_what_is_not_taken_says_why(
        self, client: Client, program: Path, files: tuple[str, ...], reason: str
    ) -> None:
        response = drop(client, *files)
        assert response.status_code == 422
        assert reason in words(response)

    def test_what_the_files_lack_may_be_told(self, client: Client, program: Path) -> None:
        facts = {"model": "EXAMPLE DISK-8", "capacity_bytes": "8,589,934,592", "rotational": "yes"}
        response = drop(client, "zcav.txt", **facts)
        assert "the drive itself was not asked" in words(response)
        assert drop(client, "zcav.txt", **{**facts, "capacity_bytes": "much"}).status_code == 422

    def test_files_of_fio_and_its_logs_make_one_run(self, client: Client, program: Path) -> None:
        shown = words(drop(client, "fio-json-plus.json", "reads_lat.1.log", "identity.json"))
        assert "fio-lat-log" in shown
        assert "smartctl-json" in shown

    def test_the_reader_can_open_nothing(self, program: Path) -> None:
        """A connection or file would need a descriptor, of which its limit leaves none."""
        source = (ROOT / "client/probe/src/cli/import_page.rs").read_text()
        assert "(Resource::Nofile, 3)" in source
        found = files_read(
            [DroppedFile(name, (DATA / name).read_bytes()) for name in ("zcav.txt", "identity.json")],
            DriveFacts(),
        )
        assert found["imported"]["in_browser"] is True


@pytest.mark.django_db
def test_a_probe_cannot_call_its_run_the_pages(client: Client) -> None:
    run = document(provenance="imported")
    run["imported"] = {
        **{"tool": "fio", "tool_version": None, "measured_at": None, "remarks": [], "in_browser": True},
        "files": [{"format": "fio-json", "sha256": "ab" * 32, "size_bytes": 10}],
    }
    response = client.post("/api/v1/submissions/", envelope(run), content_type="application/json")
    assert response.status_code == 422
    assert "/imported/in_browser" in response.json()["detail"]


@pytest.mark.django_db
class TestLimits:
    def test_one_address_reads_so_many_times_an_hour(self, client: Client, settings: LazySettings) -> None:
        settings.IMPORTS_PER_HOUR = 2
        answers = [client.post(ADDRESS, {}).status_code for _time in range(3)]
        assert answers == [422, 422, 429]

    def test_18_a_document_that_was_shown_is_not_sent_again_and_again(
        self, client: Client, settings: LazySettings
    ) -> None:
        """Some kilobytes carry a document of megabytes, which is read and shown anew each time."""
        settings.IMPORTS_PER_HOUR = 2
        answers = [client.post(ADDRESS, {"offer": "x"}).status_code for _time in range(3)]
        assert answers == [422, 422, 429]
        assert client.post(ADDRESS, {}).status_code == 422, "reading files is counted apart"

    @pytest.mark.parametrize("spent", ["key", "block"])
    def test_18_one_network_does_not_use_up_what_all_others_may_import(
        self, settings: LazySettings, queue: list[tuple[str, str]], spent: str
    ) -> None:
        """All imports are sealed with the archive's one key."""
        settings.SUBMISSION_MIB_PER_DAY = {**settings.SUBMISSION_MIB_PER_DAY, spent: 0}
        run = {**document(provenance="imported"), "license": None}
        run["imported"] = {
            **{"tool": "fio", "tool_version": None, "measured_at": None, "source": None, "remarks": []},
            "files": [{"format": "fio-json", "sha256": "ab" * 32, "size_bytes": 10}],
            "in_browser": True,
        }
        if spent == "key":
            assert import_publish(document=run, license="CC0-1.0", address="203.0.113.1").created
            return
        with pytest.raises(Problem, match="from one network"):
            import_publish(document=run, license="CC0-1.0", address="203.0.113.1")

    def test_18_nobody_holds_a_thread_while_others_import(
        self, client: Client, settings: LazySettings, tmp_path: Path
    ) -> None:
        reader = tmp_path / "reader"
        reader.write_text("#!/bin/sh\nexec sleep 60\n")
        reader.chmod(0o700)
        settings.IMPORT_PROGRAM = reader
        with turn_taken(wait_s=0) as taken:
            assert taken
            began = time.monotonic()
            response = drop(client, "zcav.txt")
        assert (response.status_code, time.monotonic() - began < 5) == (503, True)
        assert "Too many people import files just now" in words(response)

    def test_18_1_a_reader_and_a_large_upload_do_not_share_a_machines_memory(
        self, client: Client, program: Path
    ) -> None:
        """Each process of the web server let two readers run, and each may take a gigabyte."""
        with large_turn():
            assert drop(client, "zcav.txt", "identity.json").status_code == 503
        assert drop(client, "zcav.txt", "identity.json").status_code == 200

    def test_more_than_the_limit_is_refused_before_it_is_read(self, client: Client) -> None:
        big = SimpleUploadedFile("fio.json", b"x" * (import_program.MOST_BYTES + 2 * 1024**2))
        response = client.post(ADDRESS, {"files": [big]})
        assert response.status_code == 413
        assert "16 MiB" in words(response)

    def test_an_archive_without_the_program_says_so(
        self, client: Client, settings: LazySettings, tmp_path: Path
    ) -> None:
        settings.IMPORT_PROGRAM = tmp_path / "missing"
        assert "This archive can't read files here" in words(client.get(ADDRESS))
        assert drop(client, "zcav.txt").status_code == 503

    def test_another_site_cannot_post_here(self) -> None:
        client = Client(enforce_csrf_checks=True)
        assert drop(client, "zcav.txt").status_code == 403


class TestAReaderThatFails:
    """A reader that strangers' bytes have led astray costs its own process and nothing else."""

    @staticmethod
    def _standing_in(tmp_path: Path, settings: LazySettings, script: str) -> None:
        path = tmp_path / "reader"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        settings.IMPORT_PROGRAM = path

    @pytest.mark.parametrize(
        "script", ["exit 101", "echo no json", "kill -9 $$", "exec sleep 60"], ids=str.split
    )
    def test_it_is_ended_and_said(
        self, tmp_path: Path, settings: LazySettings, monkeypatch: pytest.MonkeyPatch, script: str
    ) -> None:
        monkeypatch.setattr(import_program, "_TIME_LIMIT_S", 0.5)
        self._standing_in(tmp_path, settings, script)
        with pytest.raises(CannotRead, match="gave up"):
            files_read([DroppedFile("a", b"x" * 200_000)], DriveFacts())

    def test_an_endless_answer_is_cut_off(
        self, tmp_path: Path, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(import_program, "_MOST_ANSWER_BYTES", 10_000)
        self._standing_in(tmp_path, settings, "while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done")
        with pytest.raises(NotRead, match="more than the page takes"):
            files_read([DroppedFile("a", b"")], DriveFacts())
