"""The accuracy report as Markdown: deterministic, without times or machine names."""

from __future__ import annotations

from collections.abc import Sequence

from tools.accuracy.cases import Row

PREAMBLE = """\
# Accuracy of extraction

Written by `make accuracy`. Every number that extraction takes from a run is compared with what is true of the
drive: for the traces (`tests/data/traces`) with the truth of the DiskSim models, for the simulated drives
with what `diskatlas-simtool truth` says of them. Extraction sees neither.

- **ok**: within the bar. **declined**: no number, with the reason that stands beside it.
- **said so**: outside the bar, but the quality is poor, or it is fair and the interval holds the truth.
- **broken**: outside a bar that must hold. **silent**: wrong without saying so. Either fails the command.
"""


def render(rows: Sequence[Row], notes: Sequence[str]) -> str:
    parts = [PREAMBLE, _summary(rows)]
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
    head = "| parameter | where | truth | extracted | error | allowed | quality | verdict |"
    return "\n".join([head, "|---|---|---:|---:|---:|---:|---|---|", *(_line(row) for row in rows)]) + "\n"


def _line(row: Row) -> str:
    found = row.found
    extracted, error, quality = "none", "", "none"
    if found is not None:
        quality = str(found.quality) if not found.reason else f"{found.quality}: {found.reason}"
        if found.value is not None:
            extracted = number(found.value)
            error = "" if row.truth is None else number(found.value - row.truth, sign=True)
    truth = "not obtainable" if row.truth is None else number(row.truth)
    allowed = "" if row.bar is None else number(row.bar)
    name = row.metric.split(".", 1)[1].replace("_", " ")
    cells = (name, row.scope, truth, extracted, error, allowed, quality.replace("|", "/"), row.verdict)
    return "| " + " | ".join(cells) + " |"


def number(value: float, sign: bool = False) -> str:
    """Four digits behind the point at most, none where they are zero."""
    text = f"{value:+.4f}" if sign else f"{value:.4f}"
    text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "+0", "") else text
