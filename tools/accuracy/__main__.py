"""`make accuracy`: prints and writes docs/reference/accuracy.md; fails where a bar is broken."""

from __future__ import annotations

import sys
from pathlib import Path

from tools.accuracy.cases import Row, judge
from tools.accuracy.simulated import simulated_cases
from tools.accuracy.table import render
from tools.accuracy.traced import traced_cases

REPORT = Path(__file__).resolve().parents[2] / "docs" / "reference" / "accuracy.md"


def main() -> int:
    simulated, notes = simulated_cases()
    rows: list[Row] = []
    for case in [*traced_cases(), *simulated]:
        print(f"{case.drive}: {case.condition}", file=sys.stderr, flush=True)
        judged = judge(case)
        for row in judged:
            if row.failed:
                print(_failure(row), file=sys.stderr, flush=True)
        rows += judged
    text = render(rows, notes)
    REPORT.parent.mkdir(parents=True, exist_ok=True)
    REPORT.write_text(text, encoding="utf-8")
    print(text)
    failed = [row for row in rows if row.failed]
    print(f"{len(rows)} rows, {len(failed)} failed", file=sys.stderr)
    return 1 if failed else 0


def _failure(row: Row) -> str:
    value = row.found.value if row.found is not None else None
    return (
        f"{row.verdict}: {row.drive}, {row.condition}: {row.metric} [{row.scope}] is {value}, "
        f"truth {row.truth}, allowed {row.bar}"
    )


if __name__ == "__main__":
    raise SystemExit(main())
