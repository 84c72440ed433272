"""The same for programs with an event loop: each request runs on a thread, and rows come by `async for`."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Callable
from itertools import islice
from typing import Any, Generic, TypeVar

from diskatlas_client.archive import Archive
from diskatlas_client.releases import ReleaseFiles
from diskatlas_client.tables import Rows

Row = TypeVar("Row")
_AT_ONCE = 100
"""Rows that are taken at a time: most lie in the page that was read already."""


class AsyncRows(AsyncIterator[Row], Generic[Row]):
    """The rows of a list. Tables are made by the same words, awaited: `await rows.to_pandas()`."""

    def __init__(self, rows: Rows[Row]) -> None:
        """Take the rows that are read on threads."""
        self._rows = rows
        self._taken: list[Row] = []

    def __aiter__(self) -> AsyncRows[Row]:
        return self

    async def __anext__(self) -> Row:
        if not self._taken:
            self._taken = await asyncio.to_thread(self._some)
            self._taken.reverse()
        if not self._taken:
            raise StopAsyncIteration
        return self._taken.pop()

    def _some(self) -> list[Row]:
        return list(islice(self._rows, _AT_ONCE))

    async def to_pandas(self) -> Any:
        """Return all rows as a `pandas.DataFrame`."""
        return await asyncio.to_thread(self._rows.to_pandas)

    async def to_polars(self) -> Any:
        """Return all rows as a `polars.DataFrame`."""
        return await asyncio.to_thread(self._rows.to_polars)

    async def to_arrow(self) -> Any:
        """Return all rows as a `pyarrow.Table`."""
        return await asyncio.to_thread(self._rows.to_arrow)


class AsyncReleaseFiles:
    """The files of a release, with what `ReleaseFiles` has: its methods are awaited."""

    def __init__(self, release: ReleaseFiles) -> None:
        """Take the files that are fetched on threads."""
        self.release = release

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.release, name)
        return _awaited(found) if callable(found) else found


class AsyncArchive:
    """An archive with the methods of `Archive`: what gives rows gives `AsyncRows`, all else is awaited.

    `async for run in archive.runs(drive=...)`, `await archive.drive(slug)`, and
    `await (await archive.release()).download(folder)`.
    """

    def __init__(self, address: str, token: str | None = None, **more: Any) -> None:
        """Take what `Archive` takes."""
        self.archive = Archive(address, token, **more)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self.archive, name)
        if not callable(method) or name.startswith("_"):
            raise AttributeError(name)
        if str(method.__annotations__.get("return", "")).startswith("Rows["):
            return lambda *arguments, **filters: AsyncRows(method(*arguments, **filters))
        return _awaited(method)


def _awaited(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    async def awaited(*arguments: Any, **filters: Any) -> Any:
        found = await asyncio.to_thread(method, *arguments, **filters)
        return AsyncReleaseFiles(found) if isinstance(found, ReleaseFiles) else found

    return awaited
