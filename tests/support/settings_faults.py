"""Settings of an archive under faults: the site's own, with a storage and a clock that a test puts out of
order by writing a file, and short waits."""

from server.config.settings import *  # noqa: F403 -- a settings module extends another by its names
from server.config.settings import INSTALLED_APPS, STORAGES

INSTALLED_APPS = [*INSTALLED_APPS, "tests.support.faulty_parts.FaultyPartsConfig"]
STORAGES = {
    **STORAGES,
    "envelopes": {**STORAGES["envelopes"], "BACKEND": "tests.support.faulty_parts.FaultyStorage"},
}
