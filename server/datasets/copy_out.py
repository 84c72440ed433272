"""Tables out of the database as files, streaming: PostgreSQL writes the text, a block is held at a time."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from server.datasets.columns import ARROW, LISTS, Column, Table
from server.datasets.storage import Workshop, gzip_open

ROW_GROUP = 100_000
_BLOCK_BYTES = 4 << 20
_AS_CSV = "COPY ({}) TO STDOUT (FORMAT csv, HEADER {})"
# JSON holds no control characters, so that nothing is quoted and a line is a document.
_AS_LINES = (
    "COPY (SELECT row_to_json(t) FROM ({}) t) TO STDOUT (FORMAT csv, QUOTE e'\\x01', DELIMITER e'\\x02')"
)


def table_write(shop: Workshop, raw: Any, table: Table, kind: str | None, form: str) -> None:
    """Write one table, or one kind of it, in one format."""
    {"parquet": _parquet, "csv": _csv, "ndjson": _ndjson}[form](shop, raw, table, kind)


def _name(table: Table, kind: str | None) -> str:
    return f"{table.name}/{kind}" if kind else table.name


def _csv(shop: Workshop, raw: Any, table: Table, kind: str | None) -> None:
    draft = shop.draft(f"csv/{_name(table, kind)}.csv.gz", table=table.name, kind=kind or "", format="csv")
    query = _AS_CSV.format(table.select(as_json=False, kind=kind), "true")
    draft.rows = _copy_to(draft.local, raw, query)


def _ndjson(shop: Workshop, raw: Any, table: Table, kind: str | None) -> None:
    path = f"ndjson/{_name(table, kind)}.ndjson.gz"
    draft = shop.draft(path, table=table.name, kind=kind or "", format="ndjson")
    draft.rows = _copy_to(draft.local, raw, _AS_LINES.format(table.select(as_json=True, kind=kind)))


def _copy_to(path: Path, raw: Any, query: str) -> int:
    with gzip_open(path) as file, raw.cursor() as cursor:
        with cursor.copy(query) as copy:
            for block in copy:
                file.write(block)
        return int(cursor.rowcount)


def _parquet(shop: Workshop, raw: Any, table: Table, kind: str | None) -> None:
    columns = table.stored_columns()
    files = _Files(shop, table, kind, pa.schema([column.field() for column in columns]))
    query = _AS_CSV.format(table.select(as_json=False, kind=kind), "false")
    with raw.cursor() as cursor, cursor.copy(query) as copy:
        for batch in _batches(copy, table):
            vendors = pc.unique(batch.column("vendor")).to_pylist() if table.by_vendor else [None]
            for vendor in vendors:
                cut = batch if vendor is None else batch.filter(pc.equal(batch.column("vendor"), vendor))
                files.add(vendor, _converted(cut, columns))
    files.finish()


def _batches(copy: Any, table: Table) -> Iterator[pa.RecordBatch]:
    """Parse what COPY gives; an empty table gives none."""
    stream = io.BufferedReader(_Stream(iter(copy)), _BLOCK_BYTES)
    if not stream.peek(1):
        return
    types = {one.name: pa.string() if one.type in LISTS else ARROW[one.type] for one in table.columns}
    reader = pacsv.open_csv(
        stream,
        read_options=pacsv.ReadOptions(
            column_names=[one.name for one in table.columns], block_size=_BLOCK_BYTES, use_threads=False
        ),
        parse_options=pacsv.ParseOptions(newlines_in_values=True),
        convert_options=pacsv.ConvertOptions(
            column_types=types,
            # PostgreSQL writes NULL as nothing and the empty string in quotes.
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    yield from reader


def _converted(batch: pa.RecordBatch, columns: tuple[Column, ...]) -> pa.Table:
    arrays = []
    for column in columns:
        found = batch.column(column.name)
        if column.type in LISTS:
            lists = [None if text is None else json.loads(text) for text in found.to_pylist()]
            found = pa.array(lists, ARROW[column.type])
        arrays.append(found)
    return pa.Table.from_arrays(arrays, schema=pa.schema([column.field() for column in columns]))


class _Files:
    """Parquet files of a table that comes sorted by vendor: one after the other."""

    def __init__(self, shop: Workshop, table: Table, kind: str | None, schema: pa.Schema) -> None:
        self._shop, self._table, self._kind, self._schema = shop, table, kind, schema
        self._vendor: str | None = None
        self._waiting: list[pa.Table] = []
        self._writer: pq.ParquetWriter | None = None

    def add(self, vendor: str | None, rows: pa.Table) -> None:
        if self._writer is None or vendor != self._vendor:
            self._end()
            self._begin(vendor)
        self._waiting.append(rows)
        if sum(part.num_rows for part in self._waiting) >= ROW_GROUP:
            self._flush()

    def finish(self) -> None:
        """End the last file; a table that is cut by nothing has one, however empty it is."""
        if self._writer is None and not self._table.by_vendor and not self._shop.drafts:
            self._begin(None)
        self._end()

    def _end(self) -> None:
        if self._writer is not None:
            self._flush()
            self._writer.close()
            self._writer = None

    def _begin(self, vendor: str | None) -> None:
        folders = [self._table.name]
        folders += [f"kind={self._kind}"] if self._kind else []
        folders += [f"vendor={vendor}"] if self._table.by_vendor else []
        leaf = "/part-0.parquet" if len(folders) > 1 else ".parquet"
        facts: dict[str, Any] = {"table": self._table.name, "kind": self._kind or "", "format": "parquet"}
        draft = self._shop.draft(f"parquet/{'/'.join(folders)}{leaf}", rows=0, **facts)
        self._vendor, self._writer = vendor, parquet_writer(draft.local, self._schema)

    def _flush(self) -> None:
        if self._waiting and self._writer is not None:
            rows = pa.concat_tables(self._waiting)
            self._writer.write_table(rows, row_group_size=ROW_GROUP)
            draft = self._shop.drafts[-1]
            draft.rows = (draft.rows or 0) + rows.num_rows
            self._waiting = []


def parquet_writer(path: Path, schema: pa.Schema) -> pq.ParquetWriter:
    """Return a writer with the release's settings."""
    return pq.ParquetWriter(path, schema, compression="zstd", compression_level=3)


class _Stream(io.RawIOBase):
    """Blocks of bytes as a file."""

    def __init__(self, blocks: Iterator[Any]) -> None:
        self._blocks = blocks
        self._left = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._left:
            block = next(self._blocks, None)
            if block is None:
                return 0
            self._left = memoryview(bytes(block))
        count = min(len(buffer), len(self._left))
        buffer[:count] = self._left[:count]
        self._left = self._left[count:]
        return count
