"""Whether this container does its part; exit code 0 where it does. Uses only what the image has."""

from __future__ import annotations

import os
import sys
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path

ROLE_FILE = Path("/tmp/diskatlas-role")
SCHEDULE = Path("/tmp/celerybeat-schedule")
SCHEDULE_MAX_AGE_S = 600
"""Beat writes its schedule every three minutes; three missed times mean that it hangs."""


def host_asked(environment: Mapping[str, str]) -> str:
    """Return a name that the site answers to: a public one answers to its own names alone."""
    named = environment.get("ALLOWED_HOSTS") or environment.get("SITE_DOMAIN") or "localhost"
    # `.archive.example` stands for all below it.
    return named.split(",")[0].strip().lstrip(".")


def web() -> str:
    """Why the web server is not healthy; empty where it is."""
    address = os.environ.get("HEALTHCHECK_ADDRESS", "127.0.0.1:8000")
    headers = {"Host": host_asked(os.environ)}
    request = urllib.request.Request(f"http://{address}/health/", headers=headers)
    with urllib.request.urlopen(request, timeout=8) as answer:
        return "" if answer.status == 200 else f"answered {answer.status}"


def worker() -> str:
    """Why the worker is not healthy; empty where it is."""
    import socket

    from server.config.celery import app

    replies = app.control.ping(destination=[f"worker@{socket.gethostname()}"], timeout=5)
    return "" if replies else "does not answer a ping"


def beat() -> str:
    """Why the scheduler is not healthy; empty where it is."""
    # Which file it is depends on the database of keys that Python found.
    files = SCHEDULE.parent.glob(f"{SCHEDULE.name}*")
    age = time.time() - max((file.stat().st_mtime for file in files), default=0.0)
    return "" if age < SCHEDULE_MAX_AGE_S else f"wrote its schedule {age:.0f} s ago"


def main() -> int:
    role = ROLE_FILE.read_text(encoding="utf-8")
    check = {"web": web, "worker": worker, "beat": beat}.get(role)
    if check is None:
        return 0
    try:
        problem = check()
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
    if problem:
        print(f"{role} {problem}", file=sys.stderr)
    return 1 if problem else 0


if __name__ == "__main__":
    sys.path.insert(0, "/app")
    sys.exit(main())
