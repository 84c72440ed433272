"""Sample archives that are kept between calls: services, envelopes and static files of one in one folder."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg import sql

from tools.embedded.binaries import PROJECT
from tools.services import Services

ENVELOPE_EVERY = 50
"""From LARGE runs on, one in so many runs has its envelope: a million files tell nothing of pages."""
LARGE = 100_000


_WARM = """
SELECT pg_prewarm(relation) FROM (
    SELECT oid::regclass AS relation,
        sum(pg_relation_size(oid)) OVER (ORDER BY pg_relation_size(oid), oid) AS until
    FROM pg_class WHERE relkind IN ('r', 'i', 't')
) AS relations
WHERE until < 0.95 * (SELECT setting::bigint * 8192 FROM pg_settings WHERE name = 'shared_buffers')
"""

_HAS_PREWARM = "SELECT FROM pg_available_extensions WHERE name = 'pg_prewarm'"
_TABLES = """
SELECT relname FROM pg_class
WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY pg_relation_size(oid)
"""


class Archive:
    """One sample archive: `runs` runs of a hundredth as many models and a tenth as many units."""

    def __init__(self, root: Path, runs: int) -> None:
        """Take the folder of all archives, and the size."""
        self.runs = runs
        self.folder = root / str(runs)
        self.environment: dict[str, str] = {}

    @contextmanager
    def running(self) -> Iterator[dict[str, str]]:
        """Start the services, fill the archive where that is not done yet, and give the environment."""
        self.folder.mkdir(parents=True, exist_ok=True)
        services = Services(self.folder / "services", durable=False)
        try:
            self.environment = {
                **os.environ,
                **services.start(),
                "DJANGO_SETTINGS_MODULE": "tools.settings",
                "SECRET_KEY": "bench-bench-bench-bench-bench-bench-bench-bench-bench",
                "ALLOWED_HOSTS": "127.0.0.1",
                "DATA_DIR": str(self.folder),
                "STATIC_ROOT": str(self.folder / "static"),
                "LOG_LEVEL": "ERROR",
                # The one who measures asks from one address, more often than any reader may.
                "API_READS_PER_MINUTE": "1000000",
                "PAGE_READS_PER_MINUTE": "1000000",
                "API_EXPORTS_PER_HOUR": "1000000",
            }
            self._fill()
            yield self.environment
        finally:
            services.stop()

    def warm(self) -> None:
        """Read tables and indexes into the database's memory, the smaller first while they fit: a server that
        runs for days has them there. The wheel's PostgreSQL lacks the extension; its tables are read once."""
        with psycopg.connect(self.environment["DATABASE_URL"], autocommit=True) as connection:
            if connection.execute(_HAS_PREWARM).fetchone():
                connection.execute("CREATE EXTENSION IF NOT EXISTS pg_prewarm")
                connection.execute(_WARM)
                return
            print("No pg_prewarm here: tables are read once, an index at its first use.", file=sys.stderr)
            for (table,) in connection.execute(_TABLES).fetchall():
                connection.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table)))

    def ask(self, query: str, *parameters: object) -> list[tuple[object, ...]]:
        """Return the rows of a query."""
        with psycopg.connect(self.environment["DATABASE_URL"]) as connection:
            return connection.execute(query.encode(), parameters).fetchall()

    def _fill(self) -> None:
        self.manage("migrate", "--verbosity", "0")
        self.manage("collectstatic", "--no-input", "--verbosity", "0")
        if self.ask("SELECT EXISTS (SELECT FROM submissions_submission)") == [(False,)]:
            every = ENVELOPE_EVERY if self.runs >= LARGE else 1
            sizes = ["--models", max(self.runs // 100, 1), "--units", max(self.runs // 10, 1)]
            self.manage("seed_archive", *sizes, "--runs", self.runs, "--envelope-every", every)

    def manage(self, *arguments: object) -> None:
        """Call `manage.py` for the archive."""
        command = [sys.executable, "manage.py", *map(str, arguments)]
        subprocess.run(command, cwd=PROJECT, env=self.environment, check=True)
