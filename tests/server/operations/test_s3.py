"""Envelopes, releases and backups in object storage: a real S3 server, also while it fails."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.config import Config
from django.conf import LazySettings
from django.core.files.storage import storages
from django.db import transaction
from django.test import Client

from server.accounts.models import User
from server.core.envelope import sha256_hex
from server.core.envelope_store import envelope_store, storage_check
from server.operations import tables
from server.operations.backup import BACKUPS, all_names, backup_make, backups_forget, destination_open
from server.operations.restore import backup_restore
from server.operations.tables import MIGRATIONS, sequences_read, table_write, tables_list
from server.submissions import pipeline, sweeper, withdrawal
from server.submissions.models import Submission
from server.transparency.log_key import _read
from server.transparency.publication_log import log_check
from tests.support.documents import document, envelope, skippy_part
from tests.support.s3_server import ACCESS_KEY, BUCKET, REGION, SECRET_KEY, S3Server, s3_server

pytestmark = pytest.mark.django_db(transaction=True)
Publish = Callable[..., Submission]
BACKUP_BUCKET = "backups"
WHERE = f"s3://{BACKUP_BUCKET}/nightly"


@pytest.fixture
def s3(settings: LazySettings, tmp_path: Path) -> Iterator[S3Server]:
    """An archive whose files lie in a bucket, and an empty bucket for backups."""
    with s3_server(tmp_path) as server:
        waits = Config(connect_timeout=1, read_timeout=1, retries={"total_max_attempts": 2})
        client = {"endpoint_url": server.url, "region_name": REGION}
        client |= {"access_key": ACCESS_KEY, "secret_key": SECRET_KEY}
        settings.S3_BUCKET = BUCKET
        settings.S3_OPTIONS = {**settings.S3_OPTIONS, **client, "bucket_name": BUCKET, "client_config": waits}
        backend = {"BACKEND": "storages.backends.s3.S3Storage"}
        settings.STORAGES = {
            **settings.STORAGES,
            "envelopes": {**backend, "OPTIONS": settings.S3_OPTIONS},
            "datasets": {**backend, "OPTIONS": {**settings.S3_OPTIONS, "location": "datasets"}},
        }
        settings.DATA_DIR = tmp_path
        settings.LOG_KEY = None
        settings.LOG_KEY_FILE = tmp_path / "log-key"
        boto3.client(
            "s3",
            endpoint_url=server.url,
            region_name=REGION,
            aws_access_key_id=ACCESS_KEY,
            aws_secret_access_key=SECRET_KEY,
        ).create_bucket(Bucket=BACKUP_BUCKET)
        yield server
    _read.cache_clear()


def run(steps: int = 150) -> bytes:
    """Return an envelope."""
    return envelope({**document(skippy_part(steps=steps), rotation_rate_rpm=None), "license": "CC0-1.0"})


def rows() -> dict[str, str]:
    """Return the digest of every table's rows, and the sequences."""
    found = {"sequences": json.dumps(sequences_read())}
    with transaction.atomic():
        for table in tables_list():
            file = io.BytesIO()
            table_write(table, file)
            found[table.name] = hashlib.sha256(file.getvalue()).hexdigest()
    return found


def test_a_run_is_taken_published_given_back_and_withdrawn(
    s3: S3Server, publish: Publish, client: Client, run_jobs: Callable[[], None]
) -> None:
    submission = publish()
    assert s3.files() == {submission.storage_name}
    given = client.get(f"/api/v1/runs/{submission.run.pk}/envelope/")
    assert sha256_hex(given.content) == submission.digest
    by = User.objects.create_superuser("keeper")
    withdrawal.run_withdraw(run=submission.run, by=by, reason="The drive was failing while it was measured.")
    run_jobs()
    assert s3.files() == set() and log_check() == []
    assert client.get(f"/api/v1/runs/{submission.run.pk}/envelope/").status_code == 410


def test_of_all_in_the_bucket_only_old_envelopes_without_a_row_are_removed(
    s3: S3Server, publish: Publish
) -> None:
    kept = publish().storage_name
    storages["datasets"].save("1/SHA256SUMS", io.BytesIO(b"digests"))  # type: ignore[arg-type]
    orphan = envelope_store(digest=sha256_hex(b"orphan"), content=b"orphan")
    folders = {kept[:2], orphan[:2], "00"}
    assert sweeper.orphaned_envelopes_remove(folders=folders) == 0
    assert sweeper.orphaned_envelopes_remove(folders=folders, older_than=timedelta(days=-1)) == 1
    assert s3.files() == {kept, "datasets/1/SHA256SUMS"}


def test_a_backup_in_a_bucket_brings_everything_back(s3: S3Server, publish: Publish, tmp_path: Path) -> None:
    for _ in range(2):
        publish()
    storages["datasets"].save("1/SHA256SUMS", io.BytesIO(b"digests"))  # type: ignore[arg-type]
    files = s3.files()
    assert "datasets/1/SHA256SUMS" in files
    first = backup_make(where=WHERE)
    made = backup_make(where=WHERE)
    assert (made.envelopes, made.log_size, made.removed_since) == (2, 2, [])
    before = rows()

    found = [table for table in tables_list() if table.name != MIGRATIONS]
    with transaction.atomic(), tables.tables_replaced(found, {}):
        pass
    for name in list(all_names(storages["envelopes"])):
        storages["envelopes"].delete(name)
    (tmp_path / "log-key").unlink()
    _read.cache_clear()
    assert s3.files() == set() and rows() != before

    backup_restore(where=WHERE, known_head=made.checkpoint)
    assert rows() == before and s3.files() == files
    assert backups_forget(where=WHERE, keep=1) == [first.name]
    left = set(all_names(destination_open(WHERE)))
    assert {name for name in left if name.startswith("envelopes/")} == {
        f"envelopes/{name}" for name in Submission.objects.values_list("storage_name", flat=True)
    }
    assert not [name for name in left if name.startswith(f"{BACKUPS}/{first.name}/")]


@pytest.mark.parametrize("fault", ["stopped", "hangs", "fails-after-writing"])
def test_an_upload_that_can_not_be_stored_is_refused_and_taken_later(
    s3: S3Server, post: Callable[..., Any], fault: str
) -> None:
    body = run()
    if fault == "stopped":
        s3.kill()
    else:
        s3.fault = fault
    refused = post(body)
    assert refused.status_code == 503 and refused.headers["Retry-After"] == "120"
    assert not Submission.objects.exists()
    s3.fault = ""
    if fault == "stopped":
        s3.start()
    assert post(body).status_code == 202
    assert s3.files() == {Submission.objects.get().storage_name}


def test_a_storage_that_is_slow_is_waited_for(s3: S3Server, post: Callable[..., Any]) -> None:
    options = storages["envelopes"].client_config  # type: ignore[attr-defined]
    assert (options.connect_timeout, options.read_timeout) == (1, 1)
    s3.fault = "slow"
    # As long as the limit: it may be taken or refused, and is either there or told.
    assert post(run()).status_code in (202, 503)
    s3.fault = ""
    assert post(run()).status_code == 202


def test_what_waits_is_published_when_the_server_is_back(
    s3: S3Server, post: Callable[..., Any], run_jobs: Callable[[], None], queue: list[Any]
) -> None:
    assert post(run()).status_code == 202
    s3.kill()
    (submission,) = Submission.objects.all()
    for _ in range(2):
        with pytest.raises(pipeline.TRANSIENT):
            pipeline.submissions_process(submission_id=submission.pk)
    submission.refresh_from_db()
    assert (submission.state, submission.attempts) == ("received", 0)
    with pytest.raises(Exception, match="Connection"):
        storage_check()
    s3.start()
    storage_check()
    run_jobs()
    submission.refresh_from_db()
    assert submission.state == "published"
