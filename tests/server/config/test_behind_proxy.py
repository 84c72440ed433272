"""The archive with the settings that `compose.yaml` gives the image, behind a proxy with TLS."""

from __future__ import annotations

import http.client
import os
import re
import runpy
import shutil
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.db import connection

from server.config import gunicorn
from server.config import settings as site_settings
from tests.bench.web.serving import web_server
from tools.embedded.binaries import PROJECT

DOCKER = PROJECT / "docker"
FIXED_BY_THE_IMAGE = {
    *("DATA_DIR", "STATIC_ROOT", "DOWNLOADS_DIR", "MAINTENANCE_FILE", "ENVELOPES_DIR", "DATASETS_DIR"),
    *("LOG_KEY_FILE", "FOLLOW_ALLOW_LOOPBACK", "IMPORT_PROGRAM"),
}
"""Folders inside the volume, and what is for tests alone."""
FOR_SIGNING_IN = frozenset(
    {"GITHUB_CLIENT_ID", "GITHUB_CLIENT_SECRET", "ORCID_CLIENT_ID", "ORCID_CLIENT_SECRET"}
    | {"OIDC_NAME", "OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"}
)
"""What the web role alone is given."""
PUBLIC = {
    "SECRET_KEY": "behind-a-proxy-" * 4,
    "POSTGRES_PASSWORD": "sample",
    "APP_PASSWORD": "sample",
    "REDIS_PASSWORD": "sample",
    "ALLOWED_HOSTS": "archive.example",
    "CSRF_TRUSTED_ORIGINS": "https://archive.example",
    "SITE_URL": "https://archive.example",
    "HTTPS": "1",
    "BEHIND_PROXY": "1",
    "EMAIL_HOST": "mail.archive.example",
    "EMAIL_FROM": "DiskAtlas <archive@archive.example>",
    "LOG_ORIGIN": "archive.example/log",
}
"""What an operator writes into docker/.env, as docs/operator/README.md says."""
SECRETS = ("SECRET_KEY", "POSTGRES_PASSWORD", "APP_PASSWORD", "REDIS_PASSWORD")
DEADLINE_S = 60.0


def container_environment(service: str, written: dict[str, str]) -> dict[str, str]:
    """Return the variables of a container, as compose substitutes them from an environment file."""
    compose = yaml.safe_load((DOCKER / "compose.yaml").read_text(encoding="utf-8"))

    def value(match: re.Match[str]) -> str:
        return written.get(match["name"], "") or match["default"] or ""

    pattern = re.compile(r"\$\{(?P<name>\w+)(?::[-?](?P<default>[^}]*))?\}")
    entries = compose["services"][service]["environment"]
    return {name: pattern.sub(value, str(text)) for name, text in entries.items()}


def test_18_5_every_setting_reaches_the_containers() -> None:
    known = {*site_settings.env.dump(), *gunicorn.env.dump()} - FIXED_BY_THE_IMAGE
    assert known - set(container_environment("web", {})) == set()
    worker = {*site_settings.env.dump()} - FIXED_BY_THE_IMAGE - FOR_SIGNING_IN
    workers = ("worker", "worker-refresh", "worker-deliver", "worker-export")
    for service in (*workers, "beat", "metrics", "backup", "migrate"):
        given = container_environment(service, {})
        assert worker - set(given) == set(), service
        assert not FOR_SIGNING_IN & set(given), service


def test_only_the_container_that_migrates_has_the_account_that_owns_the_tables() -> None:
    accounts = {
        name: container_environment(name, {"POSTGRES_PASSWORD": "owners", "APP_PASSWORD": "apps"})
        for name, service in yaml.safe_load((DOCKER / "compose.yaml").read_text())["services"].items()
        if "DATABASE_URL" in service.get("environment", {})
    }
    holders = {name for name, given in accounts.items() if "owners" in str(given)}
    assert holders == {"migrate"}
    assert accounts["migrate"]["APP_DATABASE_URL"] == accounts["web"]["DATABASE_URL"]


def checked(**written: str) -> subprocess.CompletedProcess[str]:
    """Run the image's deployment check with what an operator wrote."""
    return check_deployment({**PUBLIC, **written})


def check_deployment(written: dict[str, str]) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], **container_environment("web", written)}
    command = [sys.executable, "manage.py", "check", "--deploy"]
    return subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False)


def test_18_5_the_deployment_check_passes_what_the_documents_recommend() -> None:
    done = checked()
    assert done.returncode == 0, done.stderr
    assert "diskatlas." not in done.stderr


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ({"NUM_PROXIES": "0"}, "All contributors share one rate limit."),
        ({"BEHIND_PROXY": "0", "NUM_PROXIES": "1"}, "X-Forwarded-For is believed without a proxy."),
        ({"BEHIND_PROXY": "0"}, "Every page redirects to an address nobody serves."),
        ({"SITE_URL": ""}, "Links in mails lead to localhost."),
        ({"SITE_URL": "http://archive.example"}, "HTTPS is on, links in mails do not use it."),
        ({"SITE_URL": "https://another.example"}, "The site does not answer to SITE_URL."),
        ({"LOG_ORIGIN": ""}, "The publication log is named localhost."),
        ({"EMAIL_FROM": ""}, "Mails come from localhost."),
    ],
)
def test_18_5_the_deployment_check_fails_on_settings_that_harm(written: dict[str, str], words: str) -> None:
    done = checked(**written)
    assert done.returncode != 0
    assert words in done.stderr
    assert "HINT" in done.stderr


def test_a_domain_is_all_that_a_public_site_has_to_be_told(tmp_path: Path) -> None:
    written = new_env(tmp_path, "archive.example")
    done = check_deployment(written)
    assert done.returncode == 0, done.stderr
    # Mails alone need more than a name.
    assert re.findall(r"diskatlas\.\w+", done.stderr) == ["diskatlas.W003"]
    assert {written["COMPOSE_PROFILES"], written["SITE_DOMAIN"]} == {"public", "archive.example"}
    health = runpy.run_path(str(DOCKER / "healthcheck.py"))["host_asked"]
    assert health(container_environment("web", written)) == "archive.example"


def test_a_new_environment_has_secrets_of_its_own_and_stays(tmp_path: Path) -> None:
    (tmp_path / "another").mkdir()
    first, second = new_env(tmp_path), new_env(tmp_path / "another")
    secrets = [env[name] for env in (first, second) for name in SECRETS]
    assert len(set(secrets)) == 2 * len(SECRETS)
    assert all(re.fullmatch(r"[0-9a-f]{64}", secret) for secret in secrets)
    assert (tmp_path / "env").stat().st_mode & 0o777 == 0o600
    again = subprocess.run(
        ["sh", DOCKER / "new-env.sh"], env={**os.environ, "ENV_FILE": str(tmp_path / "env")}, check=False
    )
    assert again.returncode == 1
    assert new_env_read(tmp_path / "env") == first


def test_an_address_is_no_domain(tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        new_env(tmp_path, "https://archive.example/")
    assert not (tmp_path / "env").exists()


def new_env(folder: Path, *domain: str) -> dict[str, str]:
    """Have an environment file written, and return what it holds."""
    file = folder / "env"
    command = ["sh", DOCKER / "new-env.sh", *domain]
    subprocess.run(command, env={**os.environ, "ENV_FILE": str(file)}, check=True, capture_output=True)
    return new_env_read(file)


def new_env_read(file: Path) -> dict[str, str]:
    lines = (line.partition("=") for line in file.read_text(encoding="utf-8").splitlines())
    return {name: value for name, _equals, value in lines if name and not name.startswith("#")}


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as held:
        return int(held.getsockname()[1])


@pytest.fixture
def site(transactional_db: None, services: dict[str, str], tmp_path: Path) -> Iterator[tuple[int, int]]:
    """Run the web role with the container's settings behind Caddy; give the proxy's and its own port."""
    if shutil.which("caddy") is None:
        pytest.skip("caddy is not installed: apt-get install caddy")
    before, _slash, after = services["DATABASE_URL"].rpartition("/diskatlas")
    environment = {
        **os.environ,
        # The fixture asks at the web server's own address until it answers.
        **container_environment("web", {**PUBLIC, "ALLOWED_HOSTS": "archive.example,127.0.0.1"}),
        "DJANGO_SETTINGS_MODULE": "server.config.settings",
        "DATABASE_URL": f"{before}/{connection.settings_dict['NAME']}{after}",
        "REDIS_URL": services["REDIS_URL"],
        "CACHE_URL": services["REDIS_URL"],
        "DATA_DIR": str(tmp_path),
        "STATIC_ROOT": str(tmp_path / "static"),
        "PYTHONPATH": str(PROJECT),
        "XDG_DATA_HOME": str(tmp_path),
        "XDG_CONFIG_HOME": str(tmp_path),
    }
    subprocess.run(
        [sys.executable, "manage.py", "collectstatic", "--no-input", "--verbosity", "0"],
        cwd=PROJECT,
        env=environment,
        check=True,
    )
    with web_server(environment) as (_host, port, _pid):
        outside = free_port()
        (tmp_path / "Caddyfile").write_text(
            f"{{\n  admin off\n  skip_install_trust\n  auto_https disable_redirects\n}}\n"
            f"https://archive.example:{outside} {{\n  bind 127.0.0.1\n  tls internal\n"
            f"  reverse_proxy 127.0.0.1:{port}\n}}\n"
        )
        command = ["caddy", "run", "--config", str(tmp_path / "Caddyfile"), "--adapter", "caddyfile"]
        with (tmp_path / "caddy.log").open("wb") as log:
            proxy = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        try:
            yield outside, port
        finally:
            proxy.terminate()
            proxy.wait(DEADLINE_S)


def ask(port: int, path: str, *, source: str = "127.0.0.1", **headers: str) -> http.client.HTTPResponse:
    """Ask the proxy as a browser at another address would; tried until the proxy is up."""
    context = ssl._create_unverified_context()
    deadline = time.monotonic() + DEADLINE_S
    while True:
        try:
            raw = socket.create_connection(("127.0.0.1", port), timeout=30, source_address=(source, 0))
            link = http.client.HTTPConnection("archive.example", port)
            link.sock = context.wrap_socket(raw, server_hostname="archive.example")
            link.request("GET", path, headers={"Host": "archive.example", **headers})
            answer = link.getresponse()
            answer.read()
            return answer
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


def left(answer: Any) -> int:
    """Return how many reads the client has left."""
    found = re.search(r"r=(\d+)", answer.headers["RateLimit"])
    assert found, answer.headers
    return int(found[1])


@pytest.mark.processes
@pytest.mark.django_db(transaction=True)
def test_18_5_behind_a_proxy_pages_answer_and_everybody_has_limits_of_their_own(
    site: tuple[int, int],
) -> None:
    outside, inside = site
    page = ask(outside, "/")
    assert page.status == 200
    assert page.headers["Strict-Transport-Security"]

    first = left(ask(outside, "/api/v1/drives/"))
    assert left(ask(outside, "/api/v1/drives/")) == first - 1
    assert left(ask(outside, "/api/v1/drives/", source="127.0.0.2")) == first
    # Who writes the field himself is counted by the address that the proxy saw.
    assert left(ask(outside, "/api/v1/drives/", **{"X-Forwarded-For": "203.0.113.9"})) == first - 2

    health = subprocess.run(
        [sys.executable, "-c", "import sys; sys.path.insert(0, 'docker'); import healthcheck; "
         "print(healthcheck.web() or 'healthy')"],
        cwd=PROJECT,
        env={**os.environ, "ALLOWED_HOSTS": "archive.example", "HEALTHCHECK_ADDRESS": f"127.0.0.1:{inside}"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert health.stdout == "healthy\n", health.stderr
