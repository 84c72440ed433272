"""Settings of worker processes under test: the site's own, with kinds that wait."""

from server.config.settings import *  # noqa: F403 -- a settings module extends another by its names
from server.config.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "tests.support.slow_worker.SlowWorkerConfig"]
