"""What a release must not hold, and must not call freer than it is."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from server.catalog.models import Claim, LiteratureValue
from server.core import clock
from server.datasets.builder import release_build
from server.datasets.models import Release, ReleaseFile
from server.submissions.models import Submission
from tests.server.datasets.test_releases import download
from tests.support.documents import skippy_part

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.services]


def rows(folder: Path, table: str) -> list[dict[str, Any]]:
    """Return the rows of a table as its NDJSON has them."""
    text = gzip.decompress((folder / "ndjson" / f"{table}.ndjson.gz").read_bytes()).decode()
    return [json.loads(line) for line in text.splitlines()]


def test_hidden_statements_are_left_out_and_a_mixture_has_the_strictest_licence(
    publish: Callable[..., Submission], client: Client, tmp_path: Path
) -> None:
    call_command("load_catalog", verbosity=0)
    publish(skippy_part(steps=150))
    publish(skippy_part(steps=151), license="CC-BY-4.0", unit_digest="cd" * 32)
    publish(skippy_part(steps=152), vendor="Other")
    claims, stated = Claim.objects.count(), LiteratureValue.objects.count()
    claim, value = Claim.objects.earliest("pk"), LiteratureValue.objects.earliest("pk")
    for hidden in (claim, value):
        type(hidden).objects.filter(pk=hidden.pk).update(hidden=True)
    folder = download(release_build(), tmp_path)
    assert len(rows(folder, "claims")) == claims - 1
    assert len(rows(folder, "literature")) == stated - 1
    licences = {row["drive_model"]: row["license"] for row in rows(folder, "aggregates")}
    assert licences == {"acme-sample-1": "CC-BY-4.0", "other-sample-1": "CC0-1.0"}

    began = Release.objects.create(
        number=2, schema_version="1.0", log_size=2, checkpoint="", began_at=clock.now()
    )
    file = ReleaseFile.objects.earliest("pk")
    file.pk, file.release, file.part = None, began, None
    file.save()
    assert client.get(f"/api/v1/releases/1/files/{file.path}").status_code == 200
    for address in (f"releases/2/files/{file.path}", "releases/2/"):
        assert client.get(f"/api/v1/{address}").status_code == 404
