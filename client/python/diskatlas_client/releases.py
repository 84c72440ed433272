"""Files of a release, checked against what the archive and its log say of them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from http.client import IncompleteRead
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from diskatlas_client.archive import Archive

_PIECE = 1 << 20


class NotVerified(Exception):
    """A file, or the list of digests, is not what the archive says it is. Nothing of it is kept."""


class ReleaseFiles:
    """The files of one release."""

    def __init__(self, archive: Archive, number: int | str = "latest") -> None:
        """Take the archive and the number; raises ArchiveError where there is no such release."""
        self.archive = archive
        self.about: dict[str, Any] = archive.get(f"releases/{number}/")
        self.number: int = self.about["number"]
        self._sums: dict[str, str] | None = None

    def files(self, *, table: str | None = None, format: str | None = None) -> Iterator[dict[str, Any]]:
        """Give what is known of the files, of one table or format where those are told."""
        for file in self.about["files"]:
            if table in (None, file["table"]) and format in (None, file["format"]):
                yield file

    def sums(self) -> dict[str, str]:
        """Return the digests by path that the release states, after its list is found in the publication log.
        Raises NotVerified."""
        if self._sums is None:
            text = b"".join(self._pieces("SHA256SUMS"))
            digest = hashlib.sha256(text).hexdigest()
            leaves = self.archive.get("log/leaves/", digest=digest)["results"]
            if not any(leaf["kind"] == "released" for leaf in leaves):
                raise NotVerified(
                    f"The publication log has no leaf for the digests of release {self.number} ({digest}): "
                    "they are not those that were released. Tell the archive's operator."
                )
            lines = (line.split("  ", 1) for line in text.decode().splitlines())
            self._sums = {path: digest for digest, path in lines}
        return self._sums

    def download(
        self, folder: str | Path, *, table: str | None = None, format: str | None = None
    ) -> list[Path]:
        """Bring files into a folder, each at its path in the release, and return where they are. What is
        there already and right is not fetched again; what is not right raises NotVerified and is not kept."""
        found = []
        for file in self.files(table=table, format=format):
            path = _inside(Path(folder), file["path"])
            if not (path.is_file() and _digest(path) == self._stated(file["path"])):
                self._fetch(file["path"], path)
            found.append(path)
        return found

    def citation(self) -> str:
        """Return the release's CITATION.cff."""
        return self._checked("CITATION.cff").decode()

    def _checked(self, path: str) -> bytes:
        content = b"".join(self._pieces(path))
        if hashlib.sha256(content).hexdigest() != self._stated(path):
            raise NotVerified(f"{path} of release {self.number} has another digest than the release states.")
        return content

    def _stated(self, path: str) -> str:
        if path not in self.sums():
            raise NotVerified(f"Release {self.number} states no digest of {path}.")
        return self.sums()[path]

    def _pieces(self, path: str) -> Iterator[bytes]:
        # What breaks off is told by its digest.
        with suppress(IncompleteRead):
            yield from self.archive.pieces(self.archive.url(f"releases/{self.number}/files/{path}"), _PIECE)

    def _fetch(self, name: str, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.part")
        try:
            with part.open("wb") as target:
                for piece in self._pieces(name):
                    target.write(piece)
            if _digest(part) != self._stated(name):
                raise NotVerified(f"{name} came with another digest than release {self.number} states.")
            os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)


def _inside(folder: Path, path: str) -> Path:
    """Return a path below a folder; raises NotVerified for one that leads out of it."""
    found = (folder / path).resolve()
    if not found.is_relative_to(folder.resolve()):
        raise NotVerified(f"The release names a file {path!r} outside of its folder.")
    return found


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
