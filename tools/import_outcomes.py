"""`python -m tools.import_outcomes FOLDER`: what the importer does with each of a collection of real files.

The collection is not part of the repository: strangers published its files, and few of them say under which
terms. Here stand only facts: which tool and version wrote a file, whether it is taken, and why not. Writes
`docs/reference/import-outcomes.md`; `tests/tools/test_import_outcomes.py` holds it against the collection
where `DISKATLAS_SPECIMENS` names it.
"""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.release.native import built_probe

TABLE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "import-outcomes.md"
FOLDERS = ("fio", "fiolog", "hdparm", "hdtune", "zcav", "other", "smartjson", "smarttext")
_MEASURED = "/dev/{name}:\n Timing O_DIRECT disk reads: 456 MB in  3.01 seconds = 151.67 MB/sec\n"
"""A reading that goes with any identity: of those it is asked whether they name a drive."""
_LONGEST_REASON = 160
_TOOLS = {name: name for name in FOLDERS if name != "other"} | {"fiolog": "fio"}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one file."""

    file: str
    tool: str
    version: str
    reason: str
    """Why it is refused; empty where it is taken."""

    @property
    def word(self) -> str:
        return "refused" if self.reason else "taken"


def outcomes(folder: Path, program: Path) -> list[Outcome]:
    """Return what the program does with each file of the collection, in the order of their names; raises
    FileNotFoundError where the folder holds none."""
    files = [path for name in FOLDERS for path in sorted((folder / name).rglob("*")) if path.is_file()]
    if not files:
        raise FileNotFoundError(
            f"{folder} has no files in {', '.join(FOLDERS)}. Name the collection's folder."
        )
    return [_outcome(path, path.relative_to(folder).as_posix(), program) for path in files]


def _outcome(path: Path, name: str, program: Path) -> Outcome:
    text, folder = path.read_bytes(), name.partition("/")[0]
    if folder in ("smartjson", "smarttext"):
        disk = "nvme0n1" if b"NVMe" in text else "sdb"
        files = {"output.txt": _MEASURED.format(name=disk).encode(), path.name: text}
        answer = _asked(program, files)
        return Outcome(name, "smartctl", _smartctl_version(text), _reason(answer))
    facts: dict[str, Any] = {"rotational": True, "capacity_bytes": _capacity(text)}
    if b"HD Tune" not in text:
        facts["model"] = "SAMPLE DRIVE"
    answer = _asked(program, {path.name: text}, **facts)
    imported = answer.get("document", {}).get("imported", {})
    tool = imported.get("tool") or _TOOLS.get(folder, path.name.partition("_")[0])
    return Outcome(name, tool, imported.get("tool_version") or _version(text), _reason(answer))


def _asked(program: Path, files: dict[str, bytes], **facts: Any) -> dict[str, Any]:
    request = {
        "files": [{"name": name, "base64": base64.b64encode(text).decode()} for name, text in files.items()],
        **facts,
    }
    done = subprocess.run(
        [program, "import-page"], input=json.dumps(request).encode(), capture_output=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{', '.join(files)}: exit code {done.returncode}: {done.stderr.decode()[-500:]}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def _reason(answer: dict[str, Any]) -> str:
    refused = answer.get("refused")
    return str(refused["why"]) if refused else ""


def _capacity(text: bytes) -> int:
    """Return the size of a drive on which the file may have been measured: zcav's profile ends where it
    does."""
    places = re.findall(
        rb"^\s*(\d+(?:\.\d+)?)[\s,]+\d+(?:\.\d+)?[\s,]+\d+\.\d+\s*$", text, flags=re.MULTILINE
    )
    if b"#block" not in text or len(places) < 2:
        return 1_000_204_886_016
    step, last = float(places[1]) - float(places[0]), float(places[-1])
    unit = 2**30 if b"GiB" in text or step < 10 else 2**20
    return int((last + step) * unit) // 512 * 512


def _version(text: bytes) -> str:
    found = re.search(rb"fio-\d[\w.-]*|HD Tune(?: Pro)? \d[\d.]*|smartctl \d\.\d", text)
    return found[0].decode() if found else ""


def _smartctl_version(text: bytes) -> str:
    found = re.search(rb"smartctl (\d+\.\d+)", text)
    if found:
        return found[1].decode()
    found = re.search(rb'"version"\s*:\s*\[\s*(\d+)\s*,\s*(\d+)', text.partition(b'"smartctl"')[2])
    return f"{found[1].decode()}.{found[2].decode()}" if found else ""


def table(found: list[Outcome]) -> str:
    """Return the page: how many of each tool, and a line for each file."""
    counts = Counter((one.tool, one.word) for one in found)
    tools = sorted({one.tool for one in found})
    taken = sum(one.word == "taken" for one in found)
    lines = [
        "# What the importer does with real files",
        "",
        "Written by `python -m tools.import_outcomes FOLDER` from a collection of outputs that strangers",
        "published. The files are no part of the repository. Of smartctl's it is asked whether they name a",
        "drive; model and capacity of the others are given where they lack them. Reasons are cut at a word.",
        "",
        f"{len(found)} files: {taken} taken, {len(found) - taken} refused.",
        "",
        "| Tool | Taken | Refused |",
        "|---|---|---|",
        *(f"| {tool} | {counts[tool, 'taken']} | {counts[tool, 'refused']} |" for tool in tools),
        "",
        "| File | Tool | Version | Outcome | Reason |",
        "|---|---|---|---|---|",
        *(
            f"| {one.file} | {one.tool} | {one.version} | {one.word} | {_short(one.reason)} |"
            for one in found
        ),
        "",
    ]
    return "\n".join(lines)


def _short(reason: str) -> str:
    plain = " ".join(reason.split()).replace("|", "\\|").replace("<", "&lt;")
    if len(plain) <= _LONGEST_REASON:
        return plain
    return plain[:_LONGEST_REASON].rsplit(" ", 1)[0] + " …"


def main() -> int:
    """Write the table; return the exit code."""
    program = built_probe()
    if len(sys.argv) != 2 or program is None:
        print(__doc__ if program else "The probe is not built: call `make probe`.", file=sys.stderr)
        return 2
    TABLE.write_text(table(outcomes(Path(sys.argv[1]), program)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
