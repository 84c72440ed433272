"""The image and `compose.yaml` keep their rules, and each rule finds the file that breaks it."""

from __future__ import annotations

import copy
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tools import container_rules
from tools.caddy import caddyfile

ROOT = Path(__file__).resolve().parents[2]
DOCKER = ROOT / "docker"
DOCKERFILE = (DOCKER / "Dockerfile").read_text(encoding="utf-8")


def hadolint(dockerfile: str) -> list[str]:
    """What hadolint finds, as `make lint` calls it."""
    command = [str(Path(sys.executable).with_name("hadolint")), "--no-color", "-"]
    done = subprocess.run(command, input=dockerfile, capture_output=True, text=True, check=False)
    return done.stdout.splitlines()


@pytest.fixture
def compose() -> dict[str, Any]:
    """The real file; YAML's anchors share objects, so each test gets its own copies."""
    loaded = yaml.safe_load((DOCKER / "compose.yaml").read_text(encoding="utf-8"))
    return {
        key: {k: copy.deepcopy(v) for k, v in value.items()} if isinstance(value, dict) else value
        for key, value in loaded.items()
    }


def test_the_projects_own_files_break_no_rule() -> None:
    assert container_rules.check(DOCKER) == []
    assert hadolint(DOCKERFILE) == []


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("USER 10001:10001\n", "", "runs as root"),
        ("USER 10001:10001\n", "USER root\n", "Last USER should not be root"),
        ("HEALTHCHECK ", "LABEL ", "no HEALTHCHECK"),
        ("FROM node:20-bookworm-slim", "FROM node", "tag the version"),
        ("COPY server server", "ADD server server", "Use COPY"),
        ("PYTHONUNBUFFERED=1", "DB_PASSWORD=hunter2", "sensitive data"),
    ],
)
def test_a_dockerfile_that_breaks_a_rule_is_named(old: str, new: str, words: str) -> None:
    assert old in DOCKERFILE
    broken = DOCKERFILE.replace(old, new)
    findings = [*container_rules.check_dockerfile(broken), *hadolint(broken)]
    assert any(words in finding for finding in findings), findings


def test_a_service_without_a_health_check_is_named(compose: dict[str, Any]) -> None:
    del compose["services"]["worker"]["healthcheck"]
    assert list(container_rules.check_compose(compose)) == ["compose.yaml: service worker has no healthcheck"]


def test_a_missing_service_is_named(compose: dict[str, Any]) -> None:
    del compose["services"]["beat"]
    assert list(container_rules.check_compose(compose)) == ["compose.yaml: service beat is missing"]


def test_a_password_in_clear_is_found(compose: dict[str, Any]) -> None:
    compose["services"]["postgres"]["environment"]["POSTGRES_PASSWORD"] = "hunter2"
    (finding,) = container_rules.check_compose(compose)
    assert "POSTGRES_PASSWORD in clear" in finding


def test_a_service_that_does_not_wait_for_its_database_is_named(compose: dict[str, Any]) -> None:
    compose["services"]["web"]["depends_on"]["postgres"] = {"condition": "service_started"}
    (finding,) = container_rules.check_compose(compose)
    assert "does not wait until postgres is ready" in finding


def test_an_undeclared_volume_is_found(compose: dict[str, Any]) -> None:
    del compose["volumes"]["queue"]
    (finding,) = container_rules.check_compose(compose)
    assert "queue" in finding


def test_every_variable_of_compose_stands_in_the_example_and_no_secret_has_a_value() -> None:
    compose = {"services": {"web": {"environment": {"A_PASSWORD": "${A_PASSWORD:?needed}", "B": "${B:-1}"}}}}
    findings = list(container_rules.check_variables(compose, "A_PASSWORD=hunter2\n"))
    assert len(findings) == 2
    assert "does not name B" in findings[0]
    assert "A_PASSWORD has a value" in findings[1]


def test_caddy_takes_its_configuration(tmp_path: Path) -> None:
    caddy = shutil.which("caddy")
    if caddy is None:
        pytest.skip("caddy is not installed")
    (tmp_path / "Caddyfile").write_text(caddyfile())
    done = subprocess.run(
        [caddy, "validate", "--config", str(tmp_path / "Caddyfile"), "--adapter", "caddyfile"],
        capture_output=True,
        text=True,
        env={**os.environ, "SITE_DOMAIN": "archive.example", "HOME": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr


def test_the_image_has_every_file_that_the_probe_compiles_in() -> None:
    stage = DOCKERFILE.partition(" AS probe")[2].partition("\nFROM ")[0]
    copied = [words.split()[0] for word, words in container_rules.instructions(stage) if word == "COPY"]
    crate = ROOT / "client" / "probe"
    compiled = {
        (source.parent / name).resolve().relative_to(ROOT).as_posix()
        for source in (crate / "src").rglob("*.rs")
        for name in re.findall(r'include_(?:str|bytes)!\("([^"]+)"\)', source.read_text(encoding="utf-8"))
    }
    assert any(name.startswith("server/") for name in compiled)
    lacking = {
        name for name in compiled if not any(name == path or name.startswith(f"{path}/") for path in copied)
    }
    # What tests alone compile in.
    assert {name for name in lacking if not name.startswith("tests/")} == set()


def test_the_workers_take_every_queue_between_them(compose: dict[str, Any]) -> None:
    from server.config import celery_config

    taken = [
        name
        for service in compose["services"].values()
        for name in str(service.get("environment", {}).get("WORKER_QUEUES", "")).split(",")
        if name
    ]
    assert sorted(taken) == sorted(queue.name for queue in celery_config.task_queues)
    entrypoint = (DOCKER / "entrypoint.sh").read_text(encoding="utf-8")
    for name in taken:
        assert name in entrypoint.partition("WORKER_QUEUES:-")[2].partition("}")[0].split(",")
