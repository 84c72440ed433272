"""The compose files as Docker Compose reads them: by its own loader, which needs no engine."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from tools.repository_rules import ROOT

DOCKER = ROOT / "docker"
PROGRAM = ROOT / ".build" / "tools" / "bin" / "compose-config"
ONE = ("compose.yaml",)
FIRST_OF_SEVERAL = ("compose.yaml", "compose.private.yaml")
FURTHER = ("compose.scale.yaml",)
WATCHED = "compose.monitoring.yaml"
COMBINATIONS = (ONE, (*ONE, WATCHED), FIRST_OF_SEVERAL, (*FIRST_OF_SEVERAL, WATCHED), FURTHER)
"""What docs/operator has people start."""
SECRETS = {name: f"sample-{name.lower()}" for name in ("SECRET_KEY", "GRAFANA_PASSWORD")} | {
    name: f"sample-{name.lower()}" for name in ("POSTGRES_PASSWORD", "APP_PASSWORD", "REDIS_PASSWORD")
}
SEVERAL = {
    "PRIVATE_BIND": "10.0.0.2",
    "DATABASE_HOST": "10.0.0.1",
    "QUEUE_HOST": "10.0.0.1",
    "S3_BUCKET": "archive",
    "REPLICATION_PASSWORD": "sample-replication",
    "LOG_KEY": "sample-log-key",
}
"""What an operator of more machines than one writes beside."""
Load = Callable[..., dict[str, Any]]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Return what becomes of compose files with the example's variables and some that were written in."""
    if not PROGRAM.exists():
        lacking = "Go is not installed" if shutil.which("go") is None else "call `make compose-config`"
        pytest.skip(f"no loader of compose files: {lacking}")

    def loaded(
        files: tuple[str, ...], written: dict[str, str], *, profiles: str = "*", folder: Path = DOCKER
    ) -> dict[str, Any]:
        text = (DOCKER / "env.example").read_text(encoding="utf-8")
        for name, value in written.items():
            text, count = re.subn(rf"^(?:# )?{name}=.*$", f"{name}={value}", text, flags=re.MULTILINE)
            assert count == 1, f"env.example names {name} {count} times"
        environment = tmp_path / "environment"
        environment.write_text(text, encoding="utf-8")
        command = [str(PROGRAM), "-env-file", str(environment), "-profiles", profiles]
        done = subprocess.run(
            [*command, *(str(folder / name) for name in files)],
            env={},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise ValueError(done.stderr)
        project: dict[str, Any] = json.loads(done.stdout)
        return project

    return loaded


def test_every_compose_file_is_part_of_what_people_start() -> None:
    assert {path.name for path in DOCKER.glob("compose*.yaml")} == set(chain(*COMBINATIONS))


@pytest.mark.parametrize("files", COMBINATIONS, ids="+".join)
def test_compose_takes_the_files(
    load: Load, files: tuple[str, ...], tool_count: Callable[[str, int, str], None]
) -> None:
    project = load(files, SECRETS | SEVERAL)
    tool_count("compose-go", len(project["services"]), "services")
    for name, service in project["services"].items():
        assert service.get("image") or service.get("build"), name
        for variable, value in (service.get("environment") or {}).items():
            assert value is not None and "${" not in value, f"{name}: {variable}"


@pytest.mark.parametrize(
    ("files", "name", "words"),
    [
        (ONE, "REDIS_PASSWORD", "write one into docker/.env"),
        (FURTHER, "REDIS_PASSWORD", "write one into docker/.env"),
        (FURTHER, "S3_BUCKET", "envelopes can't lie in a folder of one machine"),
        (FURTHER, "LOG_KEY", "the publication log has one key, that of the first machine"),
    ],
)
def test_what_an_operator_must_write_is_asked_for(
    load: Load, files: tuple[str, ...], name: str, words: str
) -> None:
    written = {one: value for one, value in (SECRETS | SEVERAL).items() if one != name}
    with pytest.raises(ValueError, match=f"{name} is missing a value: {words}"):
        load(files, written)


WORKERS = {"worker", "worker-refresh", "worker-deliver", "worker-export"}


def test_one_machine_starts_without_what_several_need(load: Load) -> None:
    project = load(ONE, SECRETS, profiles="")
    assert "caddy" not in project["services"]
    assert "caddy" in load(ONE, SECRETS, profiles="public")["services"]


@pytest.mark.parametrize("files", [ONE, FURTHER], ids="+".join)
def test_who_waits_for_an_answer_comes_before_what_is_computed_behind_it(
    load: Load, files: tuple[str, ...]
) -> None:
    services = load(files, SECRETS | SEVERAL)["services"]
    # Docker gives a container that says nothing 1024.
    shares = {name: one.get("cpu_shares", 1024) for name, one in services.items()}
    behind = {name for name, one in services.items() if one.get("command") in (["worker"], ["backup"])}
    assert behind >= WORKERS
    for name in behind:
        assert shares[name] * 10 < shares["web"], name


def test_the_others_reach_the_first_machine_at_its_own_address_alone(load: Load) -> None:
    services = load(FIRST_OF_SEVERAL, SECRETS | SEVERAL)["services"]
    opened = {name: services[name]["ports"] for name in ("postgres", "redis", "cache")}
    assert {port["host_ip"] for ports in opened.values() for port in ports} == {"10.0.0.2"}
    assert all(set(services[name]["networks"]) == {"inside", "outside"} for name in opened)


@pytest.mark.parametrize("profile", ["web", "worker"])
def test_a_further_machine_waits_for_its_pool_and_keeps_nothing(load: Load, profile: str) -> None:
    services = load(FURTHER, SECRETS | SEVERAL, profiles=profile)["services"]
    archive = {name: one for name, one in services.items() if name != "pgbouncer"}
    assert archive.keys() == ({"web"} if profile == "web" else WORKERS)
    for service in archive.values():
        assert set(service["depends_on"]) == {"pgbouncer"}
        given = service["environment"]
        assert "@pgbouncer:6432/" in given["DATABASE_URL"] and given["S3_BUCKET"] == "archive"
        assert "@10.0.0.1:6379/" in given["REDIS_URL"] and "@10.0.0.1:6380/" in given["CACHE_URL"]
        assert SECRETS["POSTGRES_PASSWORD"] not in str(service)
        assert service["read_only"] and service["mem_limit"]


def test_a_word_that_compose_does_not_know_is_found(load: Load, tmp_path: Path) -> None:
    text = (DOCKER / "compose.yaml").read_text(encoding="utf-8")
    (tmp_path / "compose.yaml").write_text(text.replace("    mem_limit: 384m\n", "    memory_limit: 384m\n"))
    with pytest.raises(ValueError, match="memory_limit"):
        load(ONE, SECRETS, folder=tmp_path)
