"""Tables out of the database as files, streaming: PostgreSQL writes the text, a block is held at a time."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from server.datasets.columns import ARROW, LISTS, Column, Table
from server.datasets.storage import Staging, gzip_open

ROW_GROUP = 100_000
_BLOCK_BYTES = 4 << 20
_AS_CSV = "COPY ({}) TO STDOUT (FORMAT csv, HEADER {})"
# JSON holds no control characters, so that nothing is quoted and a line is a document.
_AS_LINES = (
    "COPY (SELECT row_to_json(t) FROM ({}) t) TO STDOUT (FORMAT csv, QUOTE e'\\x01', DELIMITER e'\\x02')"
)


def table_write(staging: Staging, raw: Any, table: Table, kind: str | None, file_format: str) -> None:
    """Write one table, or one kind of it, in one format."""
    if file_format == "parquet":
        _parquet(staging, raw, table, kind)
        return
    path = f"{file_format}/{table.name}{f'/{kind}' if kind else ''}.{file_format}.gz"
    draft = staging.draft(path, table=table.name, kind=kind or "", format=file_format)
    rows = table.select(as_json=file_format == "ndjson", kind=kind)
    query = _AS_LINES.format(rows) if file_format == "ndjson" else _AS_CSV.format(rows, "true")
    draft.file.rows = _copy_to(draft.local, raw, query)


def _copy_to(path: Path, raw: Any, query: str) -> int:
    with gzip_open(path) as file, raw.cursor() as cursor:
        with cursor.copy(query) as copy:
            for block in copy:
                file.write(block)
        return int(cursor.rowcount)


def _parquet(staging: Staging, raw: Any, table: Table, kind: str | None) -> None:
    """Write one file, or one for each vendor of a table that comes sorted by it, one after the other."""
    columns = table.stored_columns()
    schema = pa.schema([column.field() for column in columns])

    def file_write(vendor: str | None, pieces: Iterable[pa.RecordBatch]) -> None:
        folders = [table.name]
        folders += [f"kind={kind}"] if kind else []
        folders += [f"vendor_slug={vendor}"] if table.by_vendor else []
        path = f"parquet/{'/'.join(folders)}{'/part-0' if len(folders) > 1 else ''}.parquet"
        draft = staging.draft(path, table=table.name, kind=kind or "", format="parquet", rows=0)
        with parquet_writer(draft.local, schema) as writer:
            for rows in _row_groups(_converted(piece, columns) for piece in pieces):
                writer.write_table(rows, row_group_size=ROW_GROUP)
                draft.file.rows += rows.num_rows

    query = _AS_CSV.format(table.select(as_json=False, kind=kind), "false")
    with raw.cursor() as cursor, cursor.copy(query) as copy:
        pieces = (piece for batch in _batches(copy, table) for piece in _by_vendor(batch, table))
        for vendor, of_vendor in groupby(pieces, itemgetter(0)):
            file_write(vendor, (piece for _vendor, piece in of_vendor))
    if not table.by_vendor and not staging.drafts:
        file_write(None, ())  # A table that is cut by nothing has a file, however empty it is.


def _by_vendor(batch: pa.RecordBatch, table: Table) -> Iterator[tuple[str | None, pa.RecordBatch]]:
    if not table.by_vendor:
        yield None, batch
        return
    for vendor in pc.unique(batch.column("vendor_slug")).to_pylist():
        yield vendor, batch.filter(pc.equal(batch.column("vendor_slug"), vendor))


def _row_groups(pieces: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Give the rows in tables of a row group and more, but the last."""
    waiting: list[pa.Table] = []
    for piece in pieces:
        waiting.append(piece)
        if sum(part.num_rows for part in waiting) >= ROW_GROUP:
            yield pa.concat_tables(waiting)
            waiting = []
    if waiting:
        yield pa.concat_tables(waiting)


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


def parquet_writer(path: Path, schema: pa.Schema) -> pq.ParquetWriter:
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
