"""`make bench-web` works with every PostgreSQL that the embedded services may start."""

from __future__ import annotations

import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import psycopg
import pytest
from django.conf import settings

from server.api.framework.keyset import cursor_signer
from tests.bench.web.archive import Archive
from tests.bench.web.measuring import FIRST_VISITS, measure
from tests.bench.web.pages import signed_cursor
from tools.embedded.account import ServicesError
from tools.embedded.binaries import SOURCES
from tools.services import Services


@pytest.mark.parametrize("source", SOURCES)
def test_an_archive_is_warmed_whether_or_not_the_server_has_pg_prewarm(tmp_path: Path, source: str) -> None:
    try:
        services = Services(tmp_path / "services", durable=False, source=source)
    except ServicesError as error:
        pytest.skip(str(error))
    archive = Archive(tmp_path, runs=1)
    try:
        archive.environment = services.start()
        with psycopg.connect(archive.environment["DATABASE_URL"], autocommit=True) as connection:
            connection.execute("CREATE TABLE numbers AS SELECT generate_series(1, 20000) AS number")
        services.stop()  # with it goes what the server has in memory
        archive.environment = services.start()
        archive.warm()
        plan = archive.ask("EXPLAIN (ANALYZE, BUFFERS) SELECT count(*) FROM numbers")
    finally:
        services.stop()
    (scan,) = [str(line) for (line,) in plan if "Buffers" in str(line) and "hit" in str(line)][-1:]
    assert "read=" not in scan


def test_first_visits_are_asked_of_the_server_that_caches_no_page() -> None:
    asked: Counter[int] = Counter()

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked[self.server.server_port] += 1
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Stay quiet."""

    servers = [ThreadingHTTPServer(("127.0.0.1", 0), Answer) for _ in range(2)]
    for server in servers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        cached, uncached = (server.server_port for server in servers)
        measure("127.0.0.1", cached, "/", uncached)
    finally:
        for server in servers:
            server.shutdown()
            server.server_close()
    assert asked[uncached] == FIRST_VISITS + 1  # one warms what is behind the pages
    assert asked[cached] > FIRST_VISITS


def test_a_cursor_of_the_benchmark_is_one_of_the_archives_own(tmp_path: Path) -> None:
    archive = Archive(tmp_path, runs=1)
    archive.environment = {"SECRET_KEY": settings.SECRET_KEY}
    text = signed_cursor(archive, "MeasurementsView:id", 7)
    assert cursor_signer("MeasurementsView:id").unsign_object(text) == [False, 7]
