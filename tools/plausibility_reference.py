"""`make plausibility-reference`: writes docs/reference/plausibility.md from the list of checks.

What was measured (the false-alarm rate, what is not caught) stands in files beside it that people write or
`make false-alarms` does; the page takes them in.
"""

from __future__ import annotations

from pathlib import Path

from server.plausibility.check import Check
from server.plausibility.registry import CHECKS
from tools.markdown import filled

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "reference" / "plausibility.md"
PARTS = ROOT / "docs" / "reference" / "plausibility"

PREAMBLE = """\
# Plausibility checks

Written by `make plausibility-reference` from the list in `server/plausibility/registry.py`.

A signature says who sent a run, not whether it is true. Before a run is published each of these checks is put
to it, and its answer is kept with the figures: **passed**, **held** (a person decides in the administration,
with a reason), **noted** (published all the same), or **not applicable** (the run lacks what the check
needs). No check changes or drops a number. Limits come from physics or from the probe's own rules, never from
one drive.
"""


def render() -> str:
    """Return the page."""
    rows = [f"| [`{check.key}`](#{check.key}) | {check.title} |" for check in CHECKS]
    parts = [PREAMBLE, "\n".join(["| check | what holds |", "|---|---|", *rows]) + "\n"]
    parts += [_section(check) for check in CHECKS]
    parts += [path.read_text(encoding="utf-8") for path in sorted(PARTS.glob("*.md"))]
    return "\n".join(parts).rstrip() + "\n"


def _section(check: Check) -> str:
    items = {"Limit": check.limit, "Why there": check.because, "What to do": check.remedy}
    return "\n".join(
        [
            f"## {check.key}\n",
            filled(f"**{check.title}.** {check.question}"),
            "",
            *(filled(f"- **{name}**: {words}", indent="  ") for name, words in items.items()),
            "",
        ]
    )


def main() -> int:
    """Write the page."""
    PAGE.write_text(render(), encoding="utf-8")
    print(PAGE.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
