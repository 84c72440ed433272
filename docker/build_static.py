"""Collects the static files while the image is built, without any server."""

from __future__ import annotations

import os
import secrets
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    # Settings insist on these three. Nothing here connects, and the key is thrown away.
    os.environ.setdefault("DATABASE_URL", "postgresql://nobody@localhost/none")
    os.environ.setdefault("REDIS_URL", "redis://localhost/0")
    os.environ["SECRET_KEY"] = secrets.token_urlsafe(50)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "server.config.settings")
    sys.path.insert(0, str(ROOT))

    import django
    from django.core.management import call_command

    django.setup()
    call_command("collectstatic", interactive=False, verbosity=0)


if __name__ == "__main__":
    main()
