"""The embedded services, from both sources of their programs."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis

from tools.embedded import account, process
from tools.embedded.account import ServicesError
from tools.embedded.binaries import PROJECT, SOURCES, binaries_find
from tools.services import Services, throw_away


def source_or_skip(source: str) -> str:
    try:
        binaries_find(source)
    except ServicesError as error:
        pytest.skip(str(error))
    return source


@pytest.fixture(params=SOURCES)
def source(request: pytest.FixtureRequest) -> str:
    return source_or_skip(request.param)


def assert_answers(environment: dict[str, str]) -> None:
    with psycopg.connect(environment["DATABASE_URL"]) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
    assert redis.from_url(environment["REDIS_URL"]).ping()


def test_both_servers_start_answer_and_stop(source: str) -> None:
    with throw_away(source) as services:
        assert services.source == source
        assert_answers(services.environment())
        pids = [services.postgres.pid(), services.redis.pid()]
    assert all(pids)
    assert not any(process.is_ours(pid, "") for pid in pids if pid)


def test_data_and_passwords_outlive_a_restart(source: str, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    services = Services(tmp_path / "services", source=source)
    try:
        first = services.start()
        with psycopg.connect(first["DATABASE_URL"]) as connection:
            connection.execute("CREATE TABLE kept (n int)")
        redis.from_url(first["REDIS_URL"]).set("kept", 1)
        services.stop()
        second = Services(tmp_path / "services", source=source)
        again = second.start()
        with psycopg.connect(again["DATABASE_URL"]) as connection:
            assert connection.execute("SELECT count(*) FROM kept").fetchone() == (0,)
        assert redis.from_url(again["REDIS_URL"]).get("kept") == b"1"
    finally:
        services.stop()
        services.remove()


def test_a_second_start_leaves_the_running_servers_alone(tmp_path: Path) -> None:
    services = Services(tmp_path / "services", durable=False)
    try:
        services.start()
        pids = services.postgres.pid(), services.redis.pid()
        Services(tmp_path / "services", durable=False).start()
        assert (services.postgres.pid(), services.redis.pid()) == pids
    finally:
        services.stop()
        services.remove()


def test_pid_files_that_name_another_process_harm_nobody(tmp_path: Path) -> None:
    services = Services(tmp_path / "services", durable=False)
    bystander = subprocess.Popen(["/bin/sleep", "300"])
    try:
        services.start()
        services.stop()
        (services.postgres.data / "postmaster.pid").write_text(f"{bystander.pid}\n{services.postgres.data}\n")
        assert services.postgres.pid() is None
        assert services.stop() is False
        assert_answers(services.start())
        assert bystander.poll() is None
    finally:
        services.stop()
        services.remove()
        bystander.kill()
        bystander.wait()


def test_servers_that_were_killed_start_again(tmp_path: Path) -> None:
    services = Services(tmp_path / "services")
    try:
        services.start()
        for pid in (services.postgres.pid(), services.redis.pid()):
            assert pid is not None
            os.kill(pid, 9)
        deadline = time.monotonic() + 20
        while (services.postgres.pid() or services.redis.pid()) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert_answers(services.start())
    finally:
        services.stop()
        services.remove()


def test_folders_and_secrets_are_private(tmp_path: Path) -> None:
    with throw_away() as services:
        folder = services.postgres.data.parent
        assert folder.stat().st_mode & 0o777 == 0o700
        secrets = [path for path in folder.iterdir() if path.suffix in {".password", ".conf", ".json"}]
        assert len(secrets) == 3
        assert {path.stat().st_mode & 0o777 for path in secrets} == {0o600}


def test_no_other_password_is_let_in() -> None:
    with throw_away() as services:
        environment = services.environment()
        broken = environment["DATABASE_URL"].replace("diskatlas:", "diskatlas:wrong", 1)
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(broken)
        with pytest.raises(redis.AuthenticationError):
            redis.from_url("redis://127.0.0.1:" + environment["REDIS_URL"].rpartition(":")[2]).ping()


def test_a_path_too_long_for_a_socket_gets_a_loopback_port(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tools.embedded.postgres._SOCKET_PATH_LIMIT", 10)
    services = Services(tmp_path / "services", durable=False)
    try:
        assert not services.postgres.uses_socket
        assert "127.0.0.1" in services.start()["DATABASE_URL"]
        assert_answers(services.environment())
    finally:
        services.stop()
        services.remove()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root hands the servers to another account")
def test_a_project_that_the_account_cannot_enter_gets_its_data_elsewhere(tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o700)
    services = Services(locked / "services", durable=False)
    try:
        assert_answers(services.start())
        assert not services.postgres.data.is_relative_to(locked)
        assert Services(locked / "services", durable=False).running()
    finally:
        services.stop()
        services.remove()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root hands the servers to another account")
def test_wheels_that_the_account_cannot_reach_are_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source_or_skip("wheels")
    monkeypatch.setattr(account.Account, "can_run", _only_below("services", account.Account.can_run))
    with throw_away("wheels") as services:
        assert_answers(services.environment())
        assert any(services.postgres.data.parent.glob("wheels-postgres/*/*/bin/postgres"))


def _only_below(part: str, real: Any) -> Any:
    return lambda self, program: part in str(program) and real(self, program)


def test_an_unknown_source_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISKATLAS_SERVICES", "cloud")
    with pytest.raises(ServicesError, match="cloud"):
        binaries_find()


def test_a_machine_with_neither_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.embedded.binaries._system", lambda: (None, None))
    monkeypatch.setattr("tools.embedded.binaries._wheels", lambda: (None, Path("/redis")))
    monkeypatch.delenv("DISKATLAS_SERVICES", raising=False)
    with pytest.raises(ServicesError, match="postgresql redis-server"):
        binaries_find()


def test_run_gives_a_command_its_services_and_its_exit_code() -> None:
    script = "import os, sys; sys.exit(7 if os.environ['DATABASE_URL'] and os.environ['REDIS_URL'] else 1)"
    command = [sys.executable, "-m", "tools.services", "run", "--", sys.executable, "-c", script]
    assert subprocess.run(command, cwd=PROJECT, check=False).returncode == 7


def test_the_demo_says_which_port_is_taken() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        environment = {**os.environ, "DEMO_PORT": str(port), "DISKATLAS_PROBE": sys.executable}
        done = subprocess.run(
            [sys.executable, "-m", "tools.demo"],
            cwd=PROJECT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert f"Port {port}" in done.stderr
    assert "DEMO_PORT=" in done.stderr
