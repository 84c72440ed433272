"""Settings of the test suites: fixed secrets, small limits, services given by the environment or by the
fixtures."""

from __future__ import annotations

import os

os.environ.setdefault("SECRET_KEY", "tests-only-tests-only-tests-only-tests-only-tests-only")
# Without services in the environment these stand in until `conftest.py` starts the embedded ones.
os.environ.setdefault("DATABASE_URL", "postgresql://tests@127.0.0.1:1/diskatlas")
os.environ.setdefault("REDIS_URL", "redis://127.0.0.1:1/0")

from server.config.settings import *  # noqa: F403 -- a settings module extends another by its names
from server.config.settings import INSTALLED_APPS, STORAGES

INSTALLED_APPS = [*INSTALLED_APPS, "tools.sample_archive"]
LOGGING = {"level": "WARNING", "json": False}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
RATE_LIMIT_REDIS_URL = None
STORAGES = {
    **STORAGES,
    "envelopes": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "datasets": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
# 32 bytes of 7: a key for tests only.
LOG_KEY = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc="
# A change is in the counts at once.
ARCHIVE_COUNTS_EVERY_S = 0
# A test asks what a page says now.
PAGE_CACHE_S = 0
PAGE_READS_PER_MINUTE = 1_000_000
SUBMISSION_MAX_WIRE_BYTES = 2 * 1024**2
SUBMISSION_MAX_BYTES = 8 * 1024**2
