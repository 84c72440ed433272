"""The OpenAPI document: committed, versioned, and true."""

from __future__ import annotations

import io
import re
import subprocess
from pathlib import Path
from typing import Any

import yaml
from django.core.management import call_command

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
