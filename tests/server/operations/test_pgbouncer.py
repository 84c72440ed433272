"""Through PgBouncer, as machines of compose.scale.yaml use it, sessions are what they are without."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from django.db import connection
from psycopg import sql

from server.config.env import SESSION
from server.operations.app_role import app_role_make
from tools.embedded.account import account_choose
from tools.embedded.postgres import free_port

pytestmark = pytest.mark.django_db(transaction=True)
ROOT = Path(__file__).resolve().parents[3]
NAME, PASSWORD = "diskatlas_pooled", "sample-password"
PATIENCE_S = 60


@pytest.fixture
def pool(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of the archive's database through a pool that docker/pgbouncer.sh started; in the mode that
    a test asks for."""
    if shutil.which("pgbouncer") is None or shutil.which("envsubst") is None:
        pytest.skip("pgbouncer is not installed: apt-get install pgbouncer gettext-base")
    there = connection.settings_dict
    app_role_make(f"postgresql://{NAME}:{PASSWORD}@host/any")
    # PgBouncer refuses to run as root.
    account, port = account_choose(), free_port()
    # Below pytest's own folders it would reach nothing.
    folder = Path(tempfile.mkdtemp(prefix="diskatlas-pool-"))
    account.own(folder)
    environment = {
        "PATH": f"{os.environ['PATH']}:/usr/sbin",
        "CONFIG_FOLDER": str(folder),
        "TEMPLATE": str(folder / "template.ini"),
        "LISTEN_ADDRESS": "127.0.0.1",
        "LISTEN_PORT": str(port),
        "DATABASE_HOST": str(there["HOST"]),
        "DATABASE_PORT": str(there["PORT"] or 5432),
        "DATABASE_NAME": str(there["NAME"]),
        "DATABASE_USER": NAME,
        "DATABASE_PASSWORD": PASSWORD,
        "POOL_SIZE": "2",
    }
    for name, copy in (("pgbouncer.ini", "template.ini"), ("pgbouncer.sh", "start.sh")):
        shutil.copy(ROOT / "docker" / name, folder / copy)
        account.own(folder / copy)
    template, mode = folder / "template.ini", getattr(request, "param", "session")
    template.write_text(template.read_text().replace("pool_mode = session", f"pool_mode = {mode}"))
    with (folder / "log").open("wb") as log:
        child = subprocess.Popen(
            ["/bin/sh", str(folder / "start.sh")],
            env=environment,
            stdout=log,
            stderr=log,
            cwd="/",
            **account.process_options(),
        )
    address = f"postgresql://{NAME}:{PASSWORD}@127.0.0.1:{port}/diskatlas"
    try:
        _await(address, child, folder / "log")
        yield address
    finally:
        child.terminate()
        child.wait(PATIENCE_S)
        shutil.rmtree(folder)
        with connection.cursor() as cursor:
            cursor.execute(sql.SQL("DROP OWNED BY {0}; DROP ROLE {0}").format(sql.Identifier(NAME)))


def _await(address: str, child: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            psycopg.connect(address).close()
            return
        except psycopg.OperationalError:
            if child.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(log.read_text()) from None
            time.sleep(0.2)


def test_sessions_have_the_archives_settings_and_keep_their_locks(pool: str) -> None:
    with psycopg.connect(pool, options="-c jit=on", autocommit=True) as one:
        for name, value in SESSION.items():
            assert one.execute("SELECT current_setting(%s)", [name]).fetchone() in [(value,), ("1",)], name
        one.execute("SELECT pg_advisory_lock(4711)")
        one.execute("PREPARE number AS SELECT $1::int")
        with psycopg.connect(pool, autocommit=True) as other:
            assert other.execute("SELECT pg_try_advisory_lock(4711)").fetchone() == (False,)
        assert one.execute("EXECUTE number(7)").fetchone() == (7,)
    # Whoever comes next on the same connection finds nothing of it.
    with psycopg.connect(pool, autocommit=True) as next_one:
        assert next_one.execute("SELECT pg_try_advisory_lock(4711)").fetchone() == (True,)
        assert next_one.execute("SELECT count(*) FROM pg_prepared_statements").fetchone() == (0,)


@pytest.mark.parametrize(("pool", "findings"), [("session", 0), ("transaction", 1)], indirect=["pool"])
def test_a_pool_that_lends_sessions_for_a_transaction_is_found(pool: str, findings: int) -> None:
    looked = (
        "import django; django.setup()\nfrom server.operations.doctor import _sessions\nprint(*_sessions())"
    )
    done = subprocess.run(
        [sys.executable, "-c", looked],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": pool, "DJANGO_SETTINGS_MODULE": "server.config.settings"},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S * 2,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Set its pool_mode to session") == findings, done.stdout


def test_the_archive_works_through_it(pool: str) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "migrate", "--check"],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": pool, "DJANGO_SETTINGS_MODULE": "server.config.settings"},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S * 2,
        check=False,
    )
    assert done.returncode == 0, done.stderr


STATEMENT_LIMITS = """
import django
django.setup()
from django.db import connection
from server.api.framework.query_deadline import QueryDeadline

def limit():
    with connection.cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        return cursor.fetchone()[0]

print(limit())
with QueryDeadline(5000):
    print(limit())
print(limit())
"""


def test_a_process_keeps_its_limit_for_statements(pool: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", STATEMENT_LIMITS],
        cwd=ROOT,
        env={
            **os.environ,
            "DATABASE_URL": pool,
            "DATABASE_STATEMENT_TIMEOUT_MS": "1234",
            "DJANGO_SETTINGS_MODULE": "server.config.settings",
        },
        capture_output=True,
        text=True,
        timeout=PATIENCE_S * 2,
        check=False,
    )
    assert done.stdout.split() == ["1234ms", "5s", "1234ms"], done.stderr
