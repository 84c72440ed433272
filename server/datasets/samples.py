"""Samples out of the signed envelopes: one row for each series, its columns as lists.

The columns of a kind follow from its schemas, so that a new kind needs nothing here.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Collection, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache, cached_property
from gzip import GzipFile
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from server.benchmarks.registry import kinds_by_slug
from server.core.envelope_store import EnvelopeLost
from server.datasets.columnar import Gathered, SampledRun, envelopes_read
from server.datasets.columns import FORMATS, Column
from server.datasets.copy_out import parquet_writer
from server.datasets.storage import Draft, Workshop, gzip_open

SEGMENT_LEAVES = 50_000
"""Leaves of the log whose runs share a file: their samples never change, so the next release has it too."""
_FLUSH_NUMBERS = 500_000
_WRITTEN = ("parquet", "ndjson")
"""What samples are written as."""
_OWN = (
    Column("run_id", "string", "", "The run's identity."),
    Column("drive_model", "string", "", "Drive model, as in addresses."),
    Column("unit", "string", "", "Digest of the drive's serial number; empty where the run has none."),
    Column("series", "integer", "", "Index of the series in the run's document."),
)
_END = (
    Column("params", "json", "", "The benchmark's parameters."),
    Column("license", "string", "", "Licence of the row: its contributor's consent (SPDX)."),
)


@dataclass
class _Kind:
    """The open files of one kind."""

    columns: tuple[Column, ...]
    drafts: list[Draft]
    parquet: pq.ParquetWriter | None
    lines: GzipFile | None
    closing: ExitStack
    gathered: Gathered
    rows: int = 0

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Columns of the series that are JSON in Parquet; the parameters are the same for all series."""
        return tuple(one.name for one in self.columns if one.type == "json" and one.name != "params")

    def flush(self) -> None:
        if self.parquet is not None and self.gathered.rows:
            self.parquet.write_table(self.gathered.taken())

    def finish(self) -> None:
        """Write what is left, and close the files."""
        self.flush()
        self.closing.close()
        for draft in self.drafts:
            draft.rows = self.rows


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
    shop: Workshop, vendor: str, segment: int, runs: list[SampledRun], formats: Collection[str] = FORMATS
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
                kind = opened.get(part["kind"]) or _open(shop, vendor, segment, part["kind"], formats)
                opened[part["kind"]] = kind
                _add(kind, run, part)
    for kind in opened.values():
        kind.finish()
    return missing


def _document(content: bytes) -> dict[str, Any]:
    envelope = json.loads(content)
    document: dict[str, Any] = json.loads(base64.b64decode(envelope["payload"]))
    return document


def _open(shop: Workshop, vendor: str, segment: int, slug: str, formats: Collection[str]) -> _Kind:
    columns = sample_columns(slug)
    facts: dict[str, Any] = {"table": "samples", "kind": slug, "rows": 0}
    kind = _Kind(columns, [], None, None, ExitStack(), Gathered(columns))
    if "parquet" in formats:
        path = f"parquet/samples/kind={slug}/vendor={vendor}/part-{segment}.parquet"
        kind.drafts.append(draft := shop.draft(path, format="parquet", **facts))
        schema = pa.schema([column.field() for column in columns])
        kind.parquet = kind.closing.enter_context(parquet_writer(draft.local, schema))
    if "ndjson" in formats:
        path = f"ndjson/samples/{slug}/{vendor}-{segment}.ndjson.gz"
        kind.drafts.append(draft := shop.draft(path, format="ndjson", **facts))
        kind.lines = kind.closing.enter_context(gzip_open(draft.local))
    return kind


def _add(kind: _Kind, run: SampledRun, part: Mapping[str, Any]) -> None:
    own = {"run_id": run.run_id, "drive_model": run.drive_model, "unit": run.unit, "license": run.license}
    params = _text(part["params"])
    for number, series in enumerate(part["samples"]["series"]):
        row = {**series, **own, "series": number, "params": part["params"]}
        kind.rows += 1
        if kind.lines is not None:
            told = {column.name: row.get(column.name) for column in kind.columns}
            kind.lines.write(json.dumps(told, separators=(",", ":"), ensure_ascii=False).encode() + b"\n")
        if kind.parquet is not None:
            row |= {name: _text(row[name]) for name in kind.texts if row.get(name) is not None}
            row["params"] = params
            kind.gathered.add(row)
            if kind.gathered.numbers > _FLUSH_NUMBERS:
                kind.flush()


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
