"""Real measurements of three hard disks that the project fio-plot published, as runs to submit.

`tools/fio_plot/README.md` has their source and licence.
"""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "fio_plot"
SOURCE = (
    "fio-plot, commit 11f6ae4b7, benchmark_data/HPMICROSERVERG10/{folder} (Copyright (c) 2017 Louwrentius, "
    "BSD 3-Clause), measured over SATA AHCI in an HP MicroServer Gen10."
)


@dataclass(frozen=True, slots=True)
class PublishedRun:
    """The files of one run, and what their folder says of the disk."""

    name: str
    folder: str
    model: str
    blocks: int
    """Of 512 bytes."""

    def arguments(self, files: list[Path]) -> list[str]:
        """Return the arguments of `diskatlas import`, but for where the run goes."""
        drive = ["--model", self.model, "--capacity", str(512 * self.blocks), "--rotational", "yes"]
        source = ["--source", SOURCE.format(folder=self.folder), "--license", "CC-BY-4.0"]
        return ["import", *map(str, files), *drive, *source]


RUNS = (
    PublishedRun("wd740gd-run1", "SATA_AHCI_WD740GD_74GB_10RPM/RUN1", "WD740GD", 145_226_112),
    PublishedRun("wd740gd-run2", "SATA_AHCI_WD740GD_74GB_10RPM/RUN2", "WD740GD", 145_226_112),
    PublishedRun("samsung-f1-1tb", "SATA_AHCI_SAMSUNGF1_1TB_7K2RPM", "SAMSUNG F1 1TB", 1_953_525_168),
    PublishedRun("hgst-hts72101", "SATA_AHCI_HGST_HTS72101_100GB_7K2RPM", "HGST HTS72101", 195_371_568),
)


def runs_import(folder: Path, call: Callable[[list[str]], object]) -> Iterator[tuple[str, Path]]:
    """Make the documents that `folder` lacks by calling the probe; yield the name and file of each."""
    for run in RUNS:
        document = folder / f"{run.name}.run.json"
        if not document.exists():
            with tempfile.TemporaryDirectory() as files, zipfile.ZipFile(FOLDER / f"{run.name}.zip") as kept:
                kept.extractall(files)
                call([*run.arguments(sorted(Path(files).iterdir())), "--output", str(document)])
        yield run.name, document
