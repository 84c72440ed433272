"""The check that a stranger runs before a pull request with a vendor's claims."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from server.catalog.files import DATA
from tools.check_catalogue import main

SHEET = json.loads((DATA / "sheets" / "seagate-constellation-es3-sas-b.json").read_text())


def written(folder: Path, sheet: dict[str, Any], name: str = "a-manual") -> str:
    path = folder / f"{name}.json"
    path.write_text(json.dumps(sheet))
    return str(path)


def test_the_catalogue_has_nothing_to_mend(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "nothing to mend" in capsys.readouterr().out


def test_everything_that_is_wrong_is_told_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sheet = json.loads(json.dumps(SHEET))
    del sheet["document"]["date"], sheet["facts"][0]["page"], sheet["facts"][0]["section"]
    assert main([written(tmp_path, sheet)]) == 1
    told = capsys.readouterr().out
    assert "sheets/a-manual.json, document: it has no date" in told
    assert "fact 1 (surfaces): it has no page" in told


def test_a_file_that_is_not_of_the_form_is_told_with_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sheet = SHEET | {"facts": [SHEET["facts"][0] | {"fact": "speed"}, SHEET["facts"][1] | {"value": "10"}]}
    assert main([written(tmp_path, sheet)]) == 1
    told = capsys.readouterr().out
    assert "at facts/0/fact" in told and "at facts/1/value" in told
    (tmp_path / "b.json").write_text("{")
    assert main([str(tmp_path / "b.json")]) == 1
    assert "cannot be read as JSON" in capsys.readouterr().out


def test_two_documents_that_contradict_each_other_need_a_note(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = json.loads(json.dumps(SHEET))
    other["facts"][0]["value"] = 8
    files = [written(tmp_path, SHEET), written(tmp_path, other, "b-manual")]
    assert main(files) == 1
    assert "surfaces is 8, and 10 in a-manual" in capsys.readouterr().out
    other["facts"][0]["note"] = "Later drives have four disks."
    written(tmp_path, other, "b-manual")
    assert main(files) == 0


def test_what_no_document_states_is_listed_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(DATA / "sheets" / "seagate-constellation-es3-sas-b.json")
    assert main([path, "--missing"]) == 0
    assert "states nothing of seek_read, cache, recording" in capsys.readouterr().out
