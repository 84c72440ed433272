"""`make accuracy`: prints and writes docs/reference/accuracy.md; fails where a bar is broken.

With `--random N` (`make accuracy-random`): N random drives of each seed instead; a file is written where one
is named.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tools.accuracy.cases import Row, judge
from tools.accuracy.coverage import coverage_of, failures
from tools.accuracy.simulated import simulated_cases
from tools.accuracy.stress import ALL, stress
from tools.accuracy.table import render
from tools.accuracy.traced import traced_cases

REPORT = Path(__file__).resolve().parents[2] / "docs" / "reference" / "accuracy.md"


def main() -> int:
    arguments = _arguments().parse_args()
    if arguments.random:
        return stress(
            arguments.random,
            arguments.seed,
            arguments.keep,
            arguments.report,
            arguments.only,
            arguments.jobs,
            arguments.corners,
        )
    return report()


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tools.accuracy", description="Compare extraction with the truth.")
    parser.add_argument("--random", type=int, metavar="N", help="draw N random drives instead of the table")
    parser.add_argument(
        "--seed",
        type=int,
        nargs="+",
        default=[1],
        help="which drives are drawn, N of each (1 where left out)",
    )
    parser.add_argument("--report", type=Path, metavar="FILE", help="write the coverage of drawn drives here")
    parser.add_argument(
        "--keep", type=Path, metavar="DIR", help="keep drives and runs here and use them again"
    )
    parser.add_argument(
        "--only", nargs="+", choices=ALL, default=ALL, metavar="KIND", help="kinds that drawn drives are for"
    )
    parser.add_argument("--corners", action="store_true", help="draw drives with what hardly any drive has")
    parser.add_argument("--jobs", type=int, default=2, help="drives at a time, with --random")
    return parser


def report() -> int:
    """The table of the traced and the simulated drives."""
    simulated, notes = simulated_cases()
    rows: list[Row] = []
    for case in [*traced_cases(), *simulated]:
        print(f"{case.drive}: {case.condition}", file=sys.stderr, flush=True)
        judged = judge(case)
        for row in judged:
            if row.failed:
                print(_failure(row), file=sys.stderr, flush=True)
        rows += judged
    coverages = coverage_of(rows)
    text = render(rows, coverages, notes)
    REPORT.parent.mkdir(parents=True, exist_ok=True)
    REPORT.write_text(text, encoding="utf-8")
    print(text)
    failed, too_low = [row for row in rows if row.failed], failures(coverages)
    print("\n".join([*too_low, f"{len(rows)} rows, {len(failed)} failed"]), file=sys.stderr)
    return 1 if failed or too_low else 0


def _failure(row: Row) -> str:
    value = row.found.value if row.found is not None else None
    return (
        f"{row.verdict}: {row.drive}, {row.condition}: {row.metric} [{row.scope}] is {value}, "
        f"truth {row.truth}, allowed {row.bar}"
    )


if __name__ == "__main__":
    raise SystemExit(main())
