"""The OpenAPI document: committed, versioned, and true."""

from __future__ import annotations

import io
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import LazySettings
from django.core.management import call_command
from django.test import Client
from jsonschema import Draft202012Validator, FormatChecker

from server.catalog.loading import catalog_load

ROOT = Path(__file__).parents[3]
GOLDEN = ROOT / "docs/reference/openapi.yaml"


def described() -> str:
    """Return the document that the code gives."""
    out = io.StringIO()
    call_command("spectacular", "--fail-on-warn", stdout=out)
    return out.getvalue()


def test_the_committed_document_is_what_the_code_gives() -> None:
    now, golden = yaml.safe_load(described()), yaml.safe_load(GOLDEN.read_text(encoding="utf-8"))
    assert now == golden, (
        "The API changed. Raise API_VERSION in server/api/version.py (the last number for what readers need "
        "not notice, the middle one for what is new) and call `make openapi`."
    )


def test_a_changed_document_has_a_version_of_its_own() -> None:
    base = _committed_before()
    golden = yaml.safe_load(GOLDEN.read_text(encoding="utf-8"))
    if base is not None and golden != base:
        assert _numbers(golden) > _numbers(base), "raise API_VERSION in server/api/version.py"


def _numbers(document: dict[str, Any]) -> tuple[int, ...]:
    return tuple(int(part) for part in document["info"]["version"].split("."))


def _committed_before() -> Any:
    """Return the document as the last commit that changed it found it, or as it is committed where the
    working copy has changed it since."""
    name = str(GOLDEN.relative_to(ROOT))

    def git(*arguments: str) -> str:
        return subprocess.run(
            ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout

    try:
        changed = git("status", "--porcelain", "--", name).strip()
        commits = git("log", "-2", "--format=%H", "--", name).split()
        before = commits[0] if changed else commits[1]
        return yaml.safe_load(git("show", f"{before}:{name}"))
    except (OSError, IndexError, subprocess.CalledProcessError):
        return None


def test_a_word_of_a_list_in_one_value_holds_no_comma() -> None:
    golden = yaml.safe_load(GOLDEN.read_text(encoding="utf-8"))
    parameters = golden["paths"]["/api/v1/drives/"]["get"]["parameters"]
    words = next(one for one in parameters if one["name"] == "vendor__in")["schema"]["items"]["pattern"]
    facets = golden["paths"]["/api/v1/facets/"]["get"]["parameters"]
    family = next(one for one in facets if one["name"] == "family")["schema"]["items"]["pattern"]
    assert re.search(words, "western-digital") and not re.search(words, "a,")
    assert re.search(family, "One, two")
    names = golden["components"]["schemas"]["MetricKey"]["enum"]
    assert "zoned.outer_bandwidth" in names and not [name for name in names if "," in name]


DOCUMENT = yaml.safe_load(GOLDEN.read_text(encoding="utf-8"))
OPERATIONS = [
    (path, method, operation)
    for path, operations in DOCUMENT["paths"].items()
    for method, operation in operations.items()
]
OPAQUE = {"log_checkpoint", "log_cosigned", "log_add_checkpoint", "drive_export", "release_file"}
"""Answers that are texts or files by themselves."""
LINES = {"text/csv", "application/x-ndjson"}


def test_20_every_answer_has_a_documented_type() -> None:
    bare = [
        (path, method, code, media_type)
        for path, method, operation in OPERATIONS
        for code, answer in operation["responses"].items()
        for media_type, content in answer.get("content", {}).items()
        if media_type not in LINES
        and operation["operationId"] not in OPAQUE
        and not ({"$ref", "properties", "items"} & set(content["schema"]))
    ]
    assert bare == []
    shapes = DOCUMENT["components"]["schemas"]
    anything = [
        (name, field)
        for name, shape in shapes.items()
        for field, schema in shape.get("properties", {}).items()
        if set(schema) <= {"description", "readOnly"}
    ]
    assert anything == []


def test_20_lines_name_their_columns() -> None:
    told = {
        path: content["schema"].get("description", "")
        for path, _method, operation in OPERATIONS
        for media_type, content in operation["responses"].get("200", {}).get("content", {}).items()
        if media_type in LINES
    }
    assert len(told) > 35 and [path for path, words in told.items() if "columns `" not in words] == []
    assert "`citation.title`" in told["/api/v1/claims/"] and "`latency_ns`" in told["/api/v1/samples/"]


def test_20_every_parameter_has_words_and_an_example_that_its_schema_allows() -> None:
    wrong = []
    for path, _method, operation in OPERATIONS:
        for parameter in operation.get("parameters", ()):
            schema = {**parameter["schema"], "components": DOCUMENT["components"]}
            checked = Draft202012Validator(schema, format_checker=FormatChecker())
            if not parameter.get("description") or not checked.is_valid(parameter["example"]):
                wrong.append((path, parameter["name"], parameter.get("example")))
    assert wrong == []


@pytest.mark.django_db
def test_20_the_archive_takes_every_example(client: Client, settings: LazySettings) -> None:
    """What an example names need not be there, such as a run or a label; none is misunderstood."""
    settings.API_LIMITS = dict.fromkeys(settings.API_LIMITS, (10**9, 60))
    catalog_load()
    wrong = [
        (address, name, answer.status_code, answer.content[:200])
        for address, name, query in _requests()
        if (answer := client.get(address, query)).status_code not in {200, 302, 404}
    ]
    assert [one for one in wrong if one[2] != 422 or b"There is no " not in one[3]] == []


def _requests() -> Iterator[tuple[str, str, list[tuple[str, str]]]]:
    """Give each parameter of each address that anybody may read, with its name and what the address needs."""
    for path, method, operation in OPERATIONS:
        if method != "get" or "/follows/" in path:
            continue
        parameters = operation.get("parameters", ())
        address = path.format(**{one["name"]: one["example"] for one in parameters if one["in"] == "path"})
        asked = [one for one in parameters if one["in"] == "query"]
        needed = [one for one in asked if one.get("required")]
        for one in asked:
            rest = [other for other in needed if other is not one]
            yield address, one["name"], [pair for each in (*rest, one) for pair in _pairs(each)]


def _pairs(parameter: dict[str, Any]) -> list[tuple[str, str]]:
    """Return a parameter as it stands in an address."""
    name, example = parameter["name"], parameter["example"]
    if not isinstance(example, list):
        return [(name, str(example))]
    if parameter.get("explode") is False:
        return [(name, ",".join(example))]
    return [(name, one) for one in example]
