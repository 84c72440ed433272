"""Claim files as spreadsheets and people write them."""

from __future__ import annotations

import json

import pytest

from server.claims.file_format import (
    COLUMNS,
    MAX_BYTES,
    MAX_CLAIMS,
    ClaimFileError,
    claims_read,
    number_read,
)
from server.core.csv_text import cell_guarded

HEADER = "vendor,model,metric,form,value,unit,document,locator"
LINE = "Seagate,ST2000NM0001,zoned.outer_bandwidth,maximum,152,MB/s,olp,p. 1"


def refused(content: bytes | str) -> str:
    with pytest.raises(ClaimFileError) as caught:
        claims_read(content.encode() if isinstance(content, str) else content)
    return str(caught.value)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_marks_line_ends_and_separators_make_no_difference(newline: str, mark: str, separator: str) -> None:
    text = mark + newline.join((HEADER, LINE, "", LINE)).replace(",", separator)
    entries = claims_read(text.encode())
    assert [entry.fields["value"] for entry in entries] == ["152", "152"]
    assert entries[0].where == "line 2" and entries[1].where == "line 4"


def test_a_text_in_quotes_may_hold_line_ends_and_the_next_line_keeps_its_number() -> None:
    entries = claims_read(f'{HEADER},note\n{LINE},"first\nsecond"\n{LINE},x\n'.encode())
    assert entries[0].fields["note"] == "first second"
    assert entries[1].where == "line 4"


def test_json_is_read_as_a_list_or_under_claims() -> None:
    claim = dict(zip(HEADER.split(","), LINE.split(","), strict=True)) | {"value": 152, "note": None}
    for data in ([claim], {"claims": [claim]}):
        (entry,) = claims_read(b"\xef\xbb\xbf" + json.dumps(data).encode())
        assert (entry.where, entry.fields["value"], entry.fields["note"]) == ("entry 1", "152", "")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "holds no claims"),
        (HEADER, "holds no claims"),
        ("\xff\xfe".encode("latin-1"), "not UTF-8"),
        (f"{HEADER}\n{LINE}\0", "NUL"),
        (f"{HEADER}\n{LINE},extra", "line 2: it has 9 columns. The header has 8"),
        (f"{HEADER},colour\n{LINE},red", "'colour' is not known"),
        (f"{HEADER},unit\n{LINE},s", "unit stands twice"),
        ("model,metric\nA,b", "there is no column form"),
        (f'{HEADER}\n{LINE}"\n"', "line 3: not CSV"),
        ("[1]", "entry 1: it is no object"),
        ('{"claim": []}', "no list of claims"),
        ('[{"model": {"a": 1}}]', "model is neither text nor number"),
        ('[{"colour": "red"}]', "'colour' is not known"),
        ('[{"value": NaN}]', "NaN"),
        ('[{"value": 1e999}]', "too large"),
        ('[{"model": "A", "model": "B"}]', "stands twice"),
        ("[" * 5000, "nested deeper than 32 levels. Mend"),
        (b"x" * (MAX_BYTES + 1), "The limit is"),
        (f"{HEADER}\n" + f"{LINE}\n" * (MAX_CLAIMS + 1), "The limit is 5,000"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(content: bytes | str, words: str) -> None:
    assert words in refused(content)


def test_every_line_that_is_wrong_is_named() -> None:
    text = refused(f"{HEADER}\n{LINE},a\n{LINE}\n{LINE},b,c")
    assert "line 2: it has 9" in text and "line 4: it has 10" in text


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("152", 152),
        ("8,9", 8.9),
        ("8.9", 8.9),
        ("-0,5", -0.5),
        ("1e3", 1000),
        ("1 000", 1000),
        ("1\u00a0000,5", 1000.5),
        (".5", 0.5),
    ],
)
def test_a_number_may_have_a_decimal_comma_and_spaces(text: str, number: float) -> None:
    assert number_read(text) == number


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nan", "finite"),
        ("-inf", "finite"),
        ("Infinity", "finite"),
        ("1e999", "too large|no number"),
        ("1,000", "thousands or decimals"),
        ("1.000,5", "no number"),
        ("about 5", "no number"),
        ("1_000", "no number"),
        ("٣", "no number"),
        ("0x10", "no number"),
        ("=1+1", "no number"),
    ],
)
def test_what_is_no_finite_number_is_refused(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        number_read(text)


@pytest.mark.parametrize("text", ["=HYPERLINK(1)", "+1", "-1", "@SUM(A1)", "'=x", "plain"])
def test_no_written_text_is_a_formula_and_reading_gives_it_back(text: str) -> None:
    cell = cell_guarded(text)
    assert cell[:1] not in ("=", "+", "-", "@")
    content = f'{HEADER},note\n{LINE},"{cell}"\n'.encode()
    assert claims_read(content)[0].fields["note"] == text.removeprefix("'") if text == "'=x" else text


def test_the_columns_are_those_of_a_claim() -> None:
    from server.catalog.models import Claim

    names = {field.name for field in Claim._meta.fields} - {
        "id",
        "drive_model",
        "citation",
        "hidden",
        "loaded_digest",
        "updated_at",
    }
    assert names == set(COLUMNS) - {"vendor", "model", "document", "value"}
