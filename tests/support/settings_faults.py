"""Settings of an archive under faults: the site's own, with parts that a test puts out of order by writing a
file (`tests/support/faulty_parts.py`)."""

from server.config.settings import *  # noqa: F403 -- a settings module extends another by its names
from server.config.settings import INSTALLED_APPS, MIDDLEWARE, S3_BUCKET, STORAGES

INSTALLED_APPS = [*INSTALLED_APPS, "tests.support.faulty_parts.FaultyPartsConfig"]
MIDDLEWARE = ["tests.support.faulty_parts.DeadlyMiddleware", *MIDDLEWARE]
if not S3_BUCKET:  # The proxy in front of an S3 server has faults of its own.
    STORAGES = {
        **STORAGES,
        "envelopes": {**STORAGES["envelopes"], "BACKEND": "tests.support.faulty_parts.FaultyStorage"},
    }
