"""The table of what the importer does with real files is what it does, where the collection is there."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tools.import_outcomes import TABLE, Outcome, outcomes, table
from tools.release.native import built_probe

SPECIMENS = os.environ.get("DISKATLAS_SPECIMENS")
"""Where the collection lies, which is no part of the repository."""

if SPECIMENS:

    def test_the_table_is_what_the_importer_does() -> None:
        program = built_probe()
        if program is None:
            pytest.skip("the probe is not built: call `make probe`")
        assert table(outcomes(Path(str(SPECIMENS)), program)) == TABLE.read_text(encoding="utf-8")


def test_the_tables_counts_are_those_of_its_lines() -> None:
    text = TABLE.read_text(encoding="utf-8")
    told = re.search(r"^(\d+) files: (\d+) taken, (\d+) refused", text, flags=re.MULTILINE)
    assert told
    words = re.findall(
        r"^\| \w+/[^|]+\|[^|]+\|[^|]*\| (taken|refused) \| *(.*?) *\|$", text, flags=re.MULTILINE
    )
    counts = [len(words), *(sum(word == wanted for word, _ in words) for wanted in ("taken", "refused"))]
    assert counts == [int(number) for number in told.groups()]
    assert counts[0] > 100
    assert all(bool(reason) == (word == "refused") for word, reason in words)


def test_a_folder_without_the_collection_writes_no_table(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="Name the collection's folder"):
        outcomes(tmp_path, Path("never-called"))


def test_a_reason_breaks_no_line_of_the_table() -> None:
    lines = table([Outcome("fio/a.json", "fio", "fio-3.1", "a | b\nc <d> " + "word " * 60)]).splitlines()
    assert r"a \| b c &lt;d> word" in lines[-1]
    assert lines[-1].endswith("word … |")
