"""Samples out of the signed envelopes: one row for each series, its columns as lists.

The columns of a kind follow from its schemas, so that a new kind needs nothing here.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache, cached_property
from gzip import GzipFile
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from server.benchmarks.registry import kinds_by_slug
from server.core.envelope_store import EnvelopeLost, envelope_load
from server.datasets.columns import FORMATS, Column
from server.datasets.copy_out import parquet_writer
from server.datasets.storage import Draft, Staging, gzip_open

SEGMENT_LEAVES = 50_000
"""Leaves of the log whose runs share a file: their samples never change, so the next release has it too."""
_FLUSH_BYTES = 4 << 20
"""Of rows that wait for their row group."""
_WRITTEN = ("parquet", "ndjson")
"""What samples are written as."""
_OWN = (
    Column("run_id", "string", "", "The run's identity."),
    Column("drive_model", "string", "", "Drive model, as in addresses."),
    Column("unit_digest", "string", "", "Digest of the unit's serial number; empty where the run has none."),
    Column("kind", "string", "", "The benchmark's kind."),
    Column("series", "integer", "", "Index of the series in the run's document."),
)
_END = (
    Column("params", "json", "", "The benchmark's parameters."),
    Column("license", "string", "", "Licence of the row: its contributor's consent (SPDX)."),
)


# ---- Envelopes of a release's runs, read ahead: the storage and the unpacking need no interpreter.

AHEAD = 8
"""Envelopes that are held before they are wanted: a large one has tens of MiB."""
_READERS = 2


@dataclass(frozen=True, slots=True)
class SampledRun:
    """A run whose samples are written."""

    run_id: str
    drive_model: str
    unit: str | None
    license: str
    digest: str
    storage_name: str


def envelopes_read(runs: Iterable[SampledRun]) -> Iterator[tuple[SampledRun, Callable[[], bytes]]]:
    """Give each run, in order, with what gives its envelope's bytes or raises EnvelopeLost."""
    with ThreadPoolExecutor(_READERS, "envelopes") as readers:
        waiting: deque[tuple[SampledRun, Future[bytes]]] = deque()
        for run in runs:
            waiting.append((run, readers.submit(envelope_load, digest=run.digest, name=run.storage_name)))
            if len(waiting) > AHEAD:
                yield _given(waiting)
        while waiting:
            yield _given(waiting)


def _given(waiting: deque[tuple[SampledRun, Future[bytes]]]) -> tuple[SampledRun, Callable[[], bytes]]:
    run, future = waiting.popleft()
    return run, future.result


@dataclass
class _Kind:
    """The open files of one kind."""

    columns: tuple[Column, ...]
    drafts: list[Draft] = field(default_factory=list)
    parquet: pq.ParquetWriter | None = None
    lines: GzipFile | None = None
    closing: ExitStack = field(default_factory=ExitStack)
    rows: int = 0
    waiting: list[pa.RecordBatch] = field(default_factory=list)
    waiting_bytes: int = 0

    @cached_property
    def schema(self) -> pa.Schema:
        return pa.schema([column.field() for column in self.columns])

    def add(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write a run's rows, or keep them as Arrow does until a row group is full."""
        self.rows += len(rows)
        if self.lines is not None:
            for row in rows:
                shown = {column.name: row.get(column.name) for column in self.columns}
                text = json.dumps(shown, separators=(",", ":"), ensure_ascii=False)
                self.lines.write(text.encode() + b"\n")
        if self.parquet is not None:
            self.waiting.append(batch := rows_batch(self.columns, self.schema, rows))
            self.waiting_bytes += batch.nbytes
            if self.waiting_bytes > _FLUSH_BYTES:
                self.flush()

    def flush(self) -> None:
        if self.parquet is not None and self.waiting:
            self.parquet.write_table(pa.Table.from_batches(self.waiting).combine_chunks())
            self.waiting, self.waiting_bytes = [], 0

    def finish(self) -> None:
        """Write what is left, and close the files."""
        self.flush()
        self.closing.close()
        for draft in self.drafts:
            draft.file.rows = self.rows


def rows_batch(
    columns: Sequence[Column], schema: pa.Schema, rows: Sequence[Mapping[str, Any]]
) -> pa.RecordBatch:
    """Return rows, which may lack columns, as Parquet has them: JSON is text there."""
    texts = [column.name for column in columns if column.type == "json"]

    def plain(row: Mapping[str, Any]) -> dict[str, Any]:
        return {**row, **{name: _text(row[name]) for name in texts if row.get(name) is not None}}

    return pa.RecordBatch.from_pylist([plain(row) for row in rows], schema=schema)


@cache
def sample_columns(slug: str) -> tuple[Column, ...]:
    """Return the columns of a kind's samples, over all versions of its schema."""
    found: dict[str, Column] = {}
    for path in sorted((kinds_by_slug()[slug].folder / "schema").glob("v*.json")):
        schema = json.loads(path.read_text(encoding="utf-8"))
        for name, stated in schema["$defs"]["series"]["properties"].items():
            found.setdefault(name, _column(name, _resolved(schema, stated)))
    return (*_OWN, *found.values(), *_END)


def segment_fingerprint(runs: list[SampledRun], formats: Collection[str] = FORMATS) -> str:
    """Return what a segment's files are made from: who is in it, under which columns, and written as what."""
    stated: list[Any] = [[run.run_id, run.digest, run.drive_model, run.unit] for run in runs]
    stated += [[slug, [column.name for column in sample_columns(slug)]] for slug in sorted(kinds_by_slug())]
    if left_out := sorted(set(_WRITTEN) - set(formats)):
        stated.append(["without", left_out])
    return hashlib.sha256(json.dumps(stated).encode()).hexdigest()


def segment_write(
    staging: Staging, vendor: str, segment: int, runs: list[SampledRun], formats: Collection[str] = FORMATS
) -> list[dict[str, str]]:
    """Write the samples of one vendor's runs in one range of leaves; return whose can't be read, and why."""
    opened: dict[str, _Kind] = {}
    missing: list[dict[str, str]] = []
    if not set(_WRITTEN) & set(formats):
        return missing
    for run, content in envelopes_read(runs):
        try:
            parts = _document(content())["benchmarks"]
        except EnvelopeLost as error:
            missing.append({"run_id": run.run_id, "reason": str(error)})
            continue
        for part in parts:
            if "skipped" not in part and part["kind"] in kinds_by_slug():
                kind = opened.get(part["kind"]) or _open(staging, vendor, segment, part["kind"], formats)
                opened[part["kind"]] = kind
                kind.add(_rows(run, part))
    for kind in opened.values():
        kind.finish()
    return missing


def _document(content: bytes) -> dict[str, Any]:
    envelope = json.loads(content)
    document: dict[str, Any] = json.loads(base64.b64decode(envelope["payload"]))
    return document


def _open(staging: Staging, vendor: str, segment: int, slug: str, formats: Collection[str]) -> _Kind:
    kind = _Kind(sample_columns(slug))
    facts: dict[str, Any] = {"table": "samples", "kind": slug, "rows": 0}
    if "parquet" in formats:
        path = f"parquet/samples_{slug}/vendor_slug={vendor}/part-{segment}.parquet"
        kind.drafts.append(draft := staging.draft(path, format="parquet", **facts))
        kind.parquet = kind.closing.enter_context(parquet_writer(draft.local, kind.schema))
    if "ndjson" in formats:
        path = f"ndjson/samples/{slug}/{vendor}-{segment}.ndjson.gz"
        kind.drafts.append(draft := staging.draft(path, format="ndjson", **facts))
        kind.lines = kind.closing.enter_context(gzip_open(draft.local))
    return kind


def _rows(run: SampledRun, part: Mapping[str, Any]) -> list[dict[str, Any]]:
    own = {"run_id": run.run_id, "drive_model": run.drive_model, "unit_digest": run.unit}
    common = {**own, "kind": part["kind"], "license": run.license, "params": part["params"]}
    return [{**series, **common, "series": number} for number, series in enumerate(part["samples"]["series"])]


def _text(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), sort_keys=True)


def _column(name: str, stated: Mapping[str, Any]) -> Column:
    return Column(name, _type(stated), "", stated.get("description", "As the kind's schema describes it."))


def _type(stated: Mapping[str, Any]) -> str:
    kinds = stated.get("type")
    single = [one for one in (kinds if isinstance(kinds, list) else [kinds]) if one not in (None, "null")]
    if single == ["array"] and stated.get("items", {}).get("type") == "integer":
        return "integers"
    if single and single[0] in ("integer", "number", "boolean", "string"):
        return single[0] if len(single) == 1 else "json"
    values = stated.get("enum", [stated["const"]] if "const" in stated else [])
    if values and all(value is None or isinstance(value, bool) for value in values):
        return "boolean"
    return "string" if values and all(value is None or isinstance(value, str) for value in values) else "json"


def _resolved(schema: Mapping[str, Any], stated: Mapping[str, Any]) -> Mapping[str, Any]:
    """Follow references within the schema."""
    while "$ref" in stated:
        found: Any = schema
        for step in stated["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        stated = {**found, **{key: value for key, value in stated.items() if key != "$ref"}}
    items = stated.get("items")
    return (
        {**stated, "items": _resolved(schema, items)}
        if isinstance(items, dict) and "$ref" in items
        else stated
    )
