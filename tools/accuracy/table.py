"""The accuracy report as Markdown: deterministic, without times or machine names."""

from __future__ import annotations

from collections.abc import Sequence

from tools.accuracy.cases import Row
from tools.accuracy.coverage import Coverage, table
from tools.markdown import filled

PREAMBLE = """\
# Accuracy of extraction

Written by `make accuracy`. Every number that extraction takes from a run is compared with what is true of the
drive: for the traces (`tests/data/traces`) with the truth of the DiskSim models, for the simulated drives
with what `diskatlas-simtool truth` says of them. Extraction sees neither.

- **ok**: within the bar. **declined**: no number, but a reason.
- **said so**: outside the bar, but the quality is poor, or it is fair and the interval holds the truth.
- **broken**: outside a bar that must hold. **silent**: wrong without saying so. Either fails the command.
- A number in brackets behind a quality leads to the reason below the table.
"""


RANDOM_PREAMBLE = """\
# Coverage on drawn drives

Written by `make accuracy-random` with `RANDOM_DRIVES={count} SEED="{seeds}"` and `COVERAGE` for the file:
so many drives drawn from each seed, measured clean and with default noise, with writes and without.
{silent} of {numbers} numbers were wrong without saying so.
"""
COVERAGE = """\
## Coverage

How often the interval that a number states holds the truth, by metric and quality, clean and noisy runs
together. Intervals are meant to hold it in 95 % of cases. The command fails where good ones of a metric do in
less than 93 % of at least 100 cases, or fair ones in less than 90 %; (!) stands there. A share is of the
numbers whose truth is known by the metric's own definition.
"""


def random_report(coverages: Sequence[Coverage], count: int, seeds: Sequence[int], silent: int) -> str:
    """The coverage of drawn drives alone: their thousands of rows are printed where they are wrong."""
    numbers = sum(one.numbers for one in coverages)
    words = RANDOM_PREAMBLE.format(
        count=count, seeds=" ".join(map(str, seeds)), silent=silent or "None", numbers=numbers
    )
    return "\n".join([words, COVERAGE, table(coverages)])


def render(rows: Sequence[Row], coverages: Sequence[Coverage], notes: Sequence[str]) -> str:
    parts = [PREAMBLE, _summary(rows), COVERAGE, table(coverages)]
    parts += [f"> {note}\n" for note in notes]
    for drive in dict.fromkeys(row.drive for row in rows):
        parts.append(f"\n## {drive}\n")
        mine = [row for row in rows if row.drive == drive]
        for condition in dict.fromkeys(row.condition for row in mine):
            parts.append(f"\n### {condition}\n")
            parts.append(_table([row for row in mine if row.condition == condition]))
    return "\n".join(parts).rstrip() + "\n"


def _summary(rows: Sequence[Row]) -> str:
    lines = ["| verdict | rows |", "|---|---:|"]
    for verdict in ("ok", "declined", "said so", "broken", "silent"):
        lines.append(f"| {verdict} | {sum(row.verdict == verdict for row in rows)} |")
    return "\n".join(lines) + "\n"


def _table(rows: Sequence[Row]) -> str:
    """The rows, and below them the reasons that their qualities refer to by number."""
    head = "| parameter | where | truth | extracted | error | allowed | quality | verdict |"
    reasons: dict[str, int] = {}
    lines = [head, "|---|---|---:|---:|---:|---:|---|---|", *(_line(row, reasons) for row in rows)]
    notes = [filled(f"{number}. {reason}", indent="   ") for reason, number in reasons.items()]
    return "\n".join([*lines, *([""] if notes else []), *notes]) + "\n"


def _line(row: Row, reasons: dict[str, int]) -> str:
    found = row.found
    extracted, error, quality = "none", "", "none"
    if found is not None:
        quality = str(found.quality)
        if found.reason:
            quality += f" ({reasons.setdefault(found.reason, len(reasons) + 1)})"
        if found.value is not None:
            extracted = number(found.value)
            error = "" if row.truth is None else number(found.value - row.truth, sign=True)
    truth = "not obtainable" if row.truth is None else number(row.truth)
    allowed = "" if row.bar is None else number(row.bar)
    name = row.metric.split(".", 1)[1].replace("_", " ")
    cells = (name, row.scope, truth, extracted, error, allowed, quality, row.verdict)
    return "| " + " | ".join(cells) + " |"


def number(value: float, sign: bool = False) -> str:
    """Four digits behind the point at most, none where they are zero."""
    text = f"{value:+.4f}" if sign else f"{value:.4f}"
    text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "+0", "") else text
