"""What a page's scripts weigh, as they come over the wire."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from tools.suites import ROOT

BUILT = ROOT / "server" / "web" / "static" / "built"
WITH_CHARTS = 120_000
WITHOUT_CHARTS = 20_000
CHARTS = "src/charts/mount.ts"


def reached(manifest: dict[str, Any], start: str, *, without: str = "") -> set[str]:
    """Files of an entry and of all that it loads, at once or later."""
    entry = manifest[start]
    loads = (*entry.get("imports", ()), *entry.get("dynamicImports", ()))
    names = [name for name in loads if name != without]
    return {entry["file"]}.union(*(reached(manifest, name, without=without) for name in names))


def packed_bytes(files: set[str]) -> int:
    sizes = {name: len(gzip.compress((BUILT / name).read_bytes(), 9)) for name in sorted(files)}
    total = sum(sizes.values())
    print("\n".join(f"{size:>8} bytes  {name}" for name, size in sizes.items()))
    print(f"{total:>8} bytes in all")
    return total


@pytest.fixture
def manifest() -> dict[str, Any]:
    path = BUILT / "manifest.json"
    if not path.is_file():
        pytest.skip("the front end is not built: call `npm run build` in frontend/")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def test_scripts_of_a_page_with_charts_weigh_less_than_120_kb(manifest: dict[str, Any]) -> None:
    assert packed_bytes(reached(manifest, "src/main.ts")) < WITH_CHARTS


def test_scripts_of_a_page_without_charts_weigh_less_than_20_kb(manifest: dict[str, Any]) -> None:
    assert packed_bytes(reached(manifest, "src/main.ts", without=CHARTS)) < WITHOUT_CHARTS
