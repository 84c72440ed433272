"""`manage.py metrics [--once]`."""

from __future__ import annotations

import signal
import threading
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from prometheus_client import CollectorRegistry, generate_latest

from server.operations.archive_metrics import ArchiveCollector
from server.operations.metrics_server import metrics_serve


class Command(BaseCommand):
    """Serve the numbers of the whole archive; one process of an archive does."""

    help = "Serve the archive's own numbers to Prometheus at METRICS_BIND, or print them once."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="print them and end")

    def handle(self, *_args: Any, **options: Any) -> None:
        if options["once"]:
            registry = CollectorRegistry()
            registry.register(ArchiveCollector())
            self.stdout.write(generate_latest(registry).decode())
            return
        if not metrics_serve(ArchiveCollector()):
            raise CommandError("Set METRICS_BIND, such as 127.0.0.1:9464, or call it with --once.")
        ended = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: ended.set())
        ended.wait()
