"""The false-alarm rate as Markdown: by check, with its interval, and every run that was held."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from scipy.stats import binomtest

from server.plausibility.registry import CHECKS
from tools.false_alarms.measuring import Judgement
from tools.markdown import filled

LEVEL = 0.95


def interval(events: int, of: int) -> tuple[float, float]:
    """Return the Clopper-Pearson interval of a share."""
    found = binomtest(events, of).proportion_ci(confidence_level=LEVEL, method="exact")
    return float(found.low), float(found.high)


def render(judged: Sequence[Judgement], command: str) -> str:
    """Return the section that stands in docs/reference/plausibility.md."""
    held = [one for one in judged if one.held]
    lines = [
        filled(
            f"`{command}`: of {len(judged)} runs, {len(held)} held without cause, "
            f"{_share(len(held), len(judged))} (95 % interval after Clopper and Pearson)."
        ),
        "",
        "| check | looked at | held | share held of those | noted |",
        "|---|---:|---:|---:|---:|",
    ]
    for check in CHECKS:
        outcomes = Counter(one.outcomes.get(check.key, "not_applicable") for one in judged)
        looked = len(judged) - outcomes["not_applicable"]
        share = _share(outcomes["held"], looked) if looked else ""
        lines.append(f"| `{check.key}` | {looked} | {outcomes['held']} | {share} | {outcomes['noted']} |")
    lines += ["", "Held:" if held else "No run was held."]
    lines += [
        filled(f"- `{one.device}` {one.kinds}, writes {one.writes}: {words}", indent="  ")
        for one in held
        for words in one.held.values()
    ]
    return "\n".join(lines) + "\n"


def _share(events: int, of: int) -> str:
    low, high = interval(events, of)
    return f"{100 * events / of:.2f} % ({100 * low:.2f} to {100 * high:.2f} %)"
