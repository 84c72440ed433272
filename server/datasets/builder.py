"""Making a release: part by part, each known once it is stored; shown only when all of it is there.

A build that was killed is gone on with. What it had written is kept where the database still says the same of
those runs, and is thrown away otherwise: a release is of one state.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import partial
from itertools import chain, islice
from typing import Any

import structlog
from django.conf import settings
from django.db import transaction

from server.benchmarks.registry import kinds_by_slug
from server.core import clock
from server.core.locks import session_lock
from server.datasets.columns import FORMATS
from server.datasets.copy_out import table_write
from server.datasets.deltas import DELTAS
from server.datasets.metadata import ALL_TABLES, MISSING_NAMED, descriptions_of
from server.datasets.models import SCHEMA_VERSION, Release, ReleaseFile, ReleasePart
from server.datasets.samples import SEGMENT_LEAVES, SampledRun, segment_fingerprint, segment_write
from server.datasets.snapshot import is_stale, log_size, models_digest, snapshot_open, tables_prepare
from server.datasets.storage import Staging, staging_open, storage, text_store
from server.datasets.tables import CATALOGUE
from server.subscriptions.events import release_event_add
from server.transparency.log_entry import sums_entry
from server.transparency.publication_log import log_append, log_head

log = structlog.get_logger("diskatlas.datasets")

_ANEW = CATALOGUE | {table.name for table in DELTAS}
"""What a resumed build writes anew: what is compared with the release before is of one moment too."""
Write = Callable[[Staging], list[dict[str, str]] | None]
"""Writes a part's files; samples give the runs whose could not be read."""


class ReleaseRunning(Exception):
    """Another process is building a release."""


def release_build(*, formats: Sequence[str] = FORMATS) -> Release:
    """Make a release, or go on with the one that was cut off, in its formats; raises ReleaseRunning."""
    with session_lock("dataset-release") as free:
        if not free:
            raise ReleaseRunning(
                "A release is being built already, and only one is at a time. Wait for its end."
            )
        began = clock.now()
        with snapshot_open() as raw:
            release = _release(raw, began, formats)
            log.info("release", number=release.number, leaves=release.log_size)
            # One after the other: a part's list of runs is held while it is written, and no longer.
            for key, fingerprint, write in chain(
                _table_parts(raw, release.formats), _sample_parts(raw, release.formats)
            ):
                _part(release, key, fingerprint, write)
            _sum_up(raw, release)
        return _publish(release)


def _release(raw: Any, began: datetime, formats: Sequence[str]) -> Release:
    """Return the release that is being built, with the snapshot's tables made for it."""
    release = Release.objects.filter(state=Release.State.BUILDING).select_related("previous").first()
    if release is not None and release.parts.exists():
        tables_prepare(raw, release)
        if not is_stale(raw, release):
            release.parts.filter(key__regex=rf"^({'|'.join(sorted(_ANEW))})/").delete()
            return release
        log.warning("the archive changed under a release that was cut off: begun anew", number=release.number)
        _discard(release)
    previous = Release.objects.filter(state=Release.State.PUBLISHED).first()
    if release is None:
        release = Release(number=previous.number + 1 if previous else 1)
    release.previous = previous
    release.schema_version = SCHEMA_VERSION
    release.doi = settings.DATASETS_DOI.format(number=release.number)
    release.formats = [file_format for file_format in FORMATS if file_format in formats]
    release.log_size = log_size(raw)
    release.checkpoint = log_head(size=release.log_size).checkpoint
    release.models_digest = models_digest(raw)
    release.began_at = began
    release.save()
    tables_prepare(raw, release)
    return release


def _discard(release: Release) -> None:
    """Forget what was written; files that an older release has too stay."""
    own = list(release.files.filter(storage_name__startswith=f"{_prefix(release)}/"))
    release.parts.all().delete()
    release.files.all().delete()
    for file in own:
        storage().delete(file.storage_name)


def _table_parts(raw: Any, formats: Sequence[str]) -> Iterator[tuple[str, str, Write]]:
    for table in ALL_TABLES:
        for kind in sorted(kinds_by_slug()) if table.by_kind else (None,):
            for file_format in formats:
                write = partial(table_write, raw=raw, table=table, kind=kind, file_format=file_format)
                yield f"{table.name}/{kind or 'all'}/{file_format}", "", write


def _sample_parts(raw: Any, formats: Sequence[str]) -> Iterator[tuple[str, str, Write]]:
    query = "SELECT DISTINCT vendor, leaf / %s FROM release_run ORDER BY 1, 2"
    for vendor, segment in raw.execute(query, [SEGMENT_LEAVES]).fetchall():
        runs = _segment_runs(raw, vendor, segment)
        write = partial(segment_write, vendor=vendor, segment=segment, runs=runs, formats=formats)
        yield f"samples/{vendor}/{segment}", segment_fingerprint(runs, formats), write


def _segment_runs(raw: Any, vendor: str, segment: int) -> list[SampledRun]:
    rows = raw.execute(
        "SELECT run_id::text, drive_model, unit, license, digest, storage_name FROM release_run "
        "WHERE vendor = %s AND leaf >= %s AND leaf < %s ORDER BY leaf",
        [vendor, segment * SEGMENT_LEAVES, (segment + 1) * SEGMENT_LEAVES],
    )
    return [SampledRun(*row) for row in rows]


def _part(release: Release, key: str, fingerprint: str, write: Write) -> None:
    """Write a part that is not there yet, or take it over from the release before where that is the same."""
    if release.parts.filter(key=key).exists():
        return
    same = (
        ReleasePart.objects.filter(release=release.previous, key=key, fingerprint=fingerprint, missing=[])
        if release.previous and fingerprint
        else ReleasePart.objects.none()
    )
    missing: list[dict[str, str]] = []
    if part := same.first():
        written = list(part.files.all())
    else:
        with staging_open() as staging:
            missing = write(staging) or []
            written = staging.store(_prefix(release))
    with transaction.atomic():
        made = ReleasePart.objects.create(release=release, key=key, fingerprint=fingerprint, missing=missing)
        for file in written:
            file.pk, file.release, file.part = None, release, made
        ReleaseFile.objects.bulk_create(written)


def _sum_up(raw: Any, release: Release) -> None:
    """Write down what the release holds."""
    rows: Counter[str] = Counter()
    # Samples have no CSV.
    counted = next(
        file_format for file_format in ("ndjson", "parquet", "csv") if file_format in release.formats
    )
    for table, count in release.files.filter(format=counted).values_list("table", "rows"):
        rows[table] += count or 0
    release.rows = {table.name: rows[table.name] for table in ALL_TABLES} | {"samples": rows["samples"]}
    changes = "SELECT change, count(DISTINCT run_id) FROM release_change GROUP BY 1"
    release.changes = {"added": 0, "withdrawn": 0, "reextracted": 0, **dict(raw.execute(changes).fetchall())}
    extractors: dict[str, dict[str, int]] = {}
    query = (
        "SELECT b.kind, b.extractor_version, count(*) FROM release_run "
        "JOIN measurements_benchmark b USING (run_id) "
        "WHERE b.extractor_version <> '' GROUP BY 1, 2 ORDER BY 1, 2"
    )
    for kind, version, count in raw.execute(query).fetchall():
        extractors.setdefault(kind, {})[version] = count
    release.extractors = extractors
    lists = release.parts.order_by("key").values_list("missing", flat=True).iterator(chunk_size=1)
    release.missing = list(islice(chain.from_iterable(lists), MISSING_NAMED))


def _publish(release: Release) -> Release:
    """Describe the release and show it, with a leaf of the log for its digests, in one step."""
    release.published_at = clock.now()
    files = list(release.files.filter(part__isnull=False).order_by("path"))
    described = [
        text_store(_prefix(release), path, text) for path, text in descriptions_of(release, files).items()
    ]
    digests = {one.path: one.sha256 for one in files} | {one.path: one.sha256 for one in described}
    sums = "".join(f"{digests[path]}  {path}\n" for path in sorted(digests))
    described.append(text_store(_prefix(release), "SHA256SUMS", sums))
    with transaction.atomic():
        release.files.filter(part__isnull=True).delete()
        for one in described:
            one.release = release
        ReleaseFile.objects.bulk_create(described)
        release.state = Release.State.PUBLISHED
        release.save()
        release_event_add(release.number)
        log_append(sums_entry(sums.encode()))
    log.info("released", number=release.number, rows=release.rows)
    return release


def _prefix(release: Release) -> str:
    return f"release-{release.number:04d}"
