"""Says what is missing or can't be so in vendors' documents: `python -m tools.check_catalogue [FILE...]`.

Reads `server/catalog/data/sheets/` without a database. Ends with 1 where something has to be mended; with
`--missing` it also lists what documents do not state, which is no mistake.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from server.catalog.files import file_read, sheet_paths
from server.catalog.sheets import Finding, findings, models_of, not_stated


def sheet_findings(path: Path) -> list[str]:
    """Return all that has to be mended in one file, each a line; the schema's words come alone."""
    sheet, wrong = file_read(path, "sheet")
    if wrong:
        return [f"sheets/{path.name}{words}" for words in wrong]
    return [str(found) for found in findings(path.stem, sheet)]


def contradictions(paths: Sequence[Path]) -> list[str]:
    """Return where two documents state another rotation or number of surfaces of one model.

    A maker may have changed a drive under its number: then the later document says so in a note.
    """
    found = []
    said: dict[tuple[str, str], tuple[float, str]] = {}
    for path in paths:
        sheet, wrong = file_read(path, "sheet")
        for entry in sheet["facts"] if not wrong else ():
            if entry["fact"] not in ("rotation", "surfaces"):
                continue
            groups = entry.get("of", list(sheet["models"]))
            for number in (number for group in groups for number in sheet["models"].get(group, [])):
                value, other = said.setdefault((number, entry["fact"]), (entry["value"], path.stem))
                if value != entry["value"] and not entry.get("note"):
                    words = (
                        f"{entry['fact']} is {entry['value']:g}, and {value:g} in {other}. A drive has one. "
                        "Look at both documents; where both stand, say so in note."
                    )
                    found.append(str(Finding(path.stem, f"model {number}", words)))
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the files given, or all; return 1 where something has to be mended."""
    parser = ArgumentParser(description="Check vendors' documents in server/catalog/data/sheets/.")
    parser.add_argument("files", nargs="*", type=Path, help="JSON files; all of the catalogue's if none")
    parser.add_argument("--missing", action="store_true", help="list what documents do not state, too")
    given = parser.parse_args(arguments)
    paths = given.files or sheet_paths()
    wrong = [line for path in paths for line in sheet_findings(path)] + contradictions(paths)
    for line in wrong:
        print(line)
    if wrong:
        return 1
    models = set()
    for path in paths:
        sheet, _none = file_read(path, "sheet")
        models.update(models_of(sheet))
        missing = not_stated(sheet)
        if given.missing and missing:
            print(f"sheets/{path.name} states nothing of {', '.join(missing)}")
    print(f"{len(paths)} vendors' documents, {len(models)} models: nothing to mend")
    return 0


if __name__ == "__main__":
    sys.exit(main())
