"""`make kind NAME=foo`: a kind that measures something simple, to be turned into what is wanted."""

from __future__ import annotations

import keyword
import re
import subprocess
import sys
from pathlib import Path

from tools.kinds.layout import ARCHIVE_KINDS, ARCHIVE_REGISTRY, PROBE_KINDS, PROBE_REGISTRY, ROOT

TEMPLATE = Path(__file__).parent / "template"
ENDING = ".in"
SLUG = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
MOST = 32
RUST_WORDS = """as async await box break const continue crate dyn else enum extern false fn for gen if impl in
let loop match mod move mut pub ref return self static struct super trait true type unsafe use where while"""


class UnusableName(ValueError):
    """A name that no kind can have."""


def check(slug: str, root: Path) -> None:
    """Raise UnusableName where a kind can't be called that."""
    if not SLUG.fullmatch(slug) or len(slug) > MOST:
        raise UnusableName(
            f"{slug!r} is no name of a kind: it is up to {MOST} small letters, digits and single "
            "underscores, a letter first. Call `make kind NAME=idle_latency`, for example."
        )
    if keyword.iskeyword(slug) or slug in RUST_WORDS.split():
        raise UnusableName(f"{slug!r} is a word of Python or Rust. Choose another.")
    for folder in (ARCHIVE_KINDS, PROBE_KINDS):
        taken = [
            path
            for path in (folder / slug, folder / f"{slug}.py", folder / f"{slug}.rs")
            if (root / path).exists()
        ]
        if taken:
            raise UnusableName(f"{taken[0]} is there already. Choose another name, or remove it first.")


def filled(text: str, slug: str) -> str:
    """The template's text for a kind."""
    words = slug.split("_")
    names = {
        "@slug@": slug,
        "@Struct@": "".join(map(str.capitalize, words)),
        "@TITLE@": " ".join(words).upper(),
    }
    return re.sub("|".join(names), lambda found: names[found[0]], text)


def write_folders(slug: str, root: Path) -> list[Path]:
    """Write both folders and return their files, relative to the root."""
    written = []
    for side, folder in (("probe", PROBE_KINDS), ("archive", ARCHIVE_KINDS)):
        for source in sorted((TEMPLATE / side).rglob(f"*{ENDING}")):
            path = folder / slug / source.relative_to(TEMPLATE / side).with_suffix("")
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(filled(source.read_text(encoding="utf-8"), slug), encoding="utf-8")
            written.append(path)
    return written


def register(slug: str, root: Path) -> None:
    """Add the kind to both registries, as the last of all."""
    probe, archive = root / PROBE_REGISTRY, root / ARCHIVE_REGISTRY
    text = _listed(
        probe.read_text(encoding="utf-8"), "KINDS: &[", filled("    &@slug@::@Struct@,\n", slug), "];"
    )
    modules = re.search(r"(?:^mod \w+;\n)+(?=\n#\[cfg\(test\)\])", text, re.MULTILINE)
    if modules is None:
        raise SystemExit(
            f"{PROBE_REGISTRY} has no list of modules before its tests. Add `mod {slug};` by hand."
        )
    lines = sorted([*modules[0].splitlines(keepends=True), f"mod {slug};\n"])
    probe.write_text(text[: modules.start()] + "".join(lines) + text[modules.end() :], encoding="utf-8")
    text = _listed(archive.read_text(encoding="utf-8"), "KINDS: tuple", f"    {slug}.KIND,\n", ")")
    text = _listed(text, "from server.benchmarks import (", f"    {slug},\n", ")")
    archive.write_text(text, encoding="utf-8")


def _listed(text: str, start: str, line: str, end: str) -> str:
    """The text with a line before the end of the list that starts so."""
    place = text.index(f"\n{end}\n", text.index(start)) + 1
    return text[:place] + line + text[place:]


def main(arguments: list[str]) -> int:
    """Make the kind and say what is left to do."""
    slug = arguments[0] if arguments else ""
    try:
        check(slug, ROOT)
    except UnusableName as error:
        print(error, file=sys.stderr)
        return 2
    written = write_folders(slug, ROOT)
    register(slug, ROOT)
    python = [str(path) for path in (*written, ARCHIVE_REGISTRY) if path.suffix == ".py"]
    for command in (["check", "--quiet", "--fix", "--select", "I"], ["format", "--quiet"]):
        subprocess.run([sys.executable, "-m", "ruff", *command, *python], cwd=ROOT, check=True)
    print("\n".join(map(str, (*written, PROBE_REGISTRY, ARCHIVE_REGISTRY))))
    print("What each file is to say, and how to show that it is right: docs/contributing/benchmarks.md.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
