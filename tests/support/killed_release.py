"""Builds a release and kills its own process after a number of parts, before the next one is known.

python -m tests.support.killed_release PARTS
"""

from __future__ import annotations

import os
import signal
import sys

import django


def main(left: int) -> None:
    """Build until `left` parts are known and the next one is stored."""
    django.setup()
    from server.datasets import builder, storage
    from server.datasets.models import ReleaseFile

    store = storage.Staging.store
    stored = 0

    def store_and_die(staging: storage.Staging, prefix: str) -> list[ReleaseFile]:
        nonlocal stored
        written = store(staging, prefix)
        stored += 1
        if stored > left:
            os.kill(os.getpid(), signal.SIGKILL)
        return written

    storage.Staging.store = store_and_die  # type: ignore[method-assign]
    builder.release_build()


if __name__ == "__main__":
    main(int(sys.argv[1]))
