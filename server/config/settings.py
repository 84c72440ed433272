"""Settings of the archive, read from the environment. `docs/operator/settings.md` lists the variables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from server.api.version import API_VERSION
from server.config.env import Env, database_from_url

BASE_DIR = Path(__file__).resolve().parents[2]
env = Env()

DEBUG = env.flag("DEBUG")
SECRET_KEY = env.text(
    "SECRET_KEY",
    hint=(
        "It signs sessions. Make one with `python3 -c 'import secrets; "
        "print(secrets.token_urlsafe(50))'` and keep it."
    ),
)
ALLOWED_HOSTS = env.items("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")
CSRF_TRUSTED_ORIGINS = env.items("CSRF_TRUSTED_ORIGINS")
SITE_NAME = "DiskAtlas"

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django.contrib.humanize",
    "rest_framework",
    "django_filters",
    "drf_spectacular",
    # Before the accounts' pages, whose frame it gives them.
    "server.web",
    "allauth",
    "allauth.account",
    "server.core",
    "server.accounts",
    "server.catalog",
    "server.transparency",
    "server.measurements",
    "server.plausibility",
    "server.submissions",
    "server.claims",
    "server.search",
    "server.model_stats",
    "server.datasets",
    "server.subscriptions",
    "server.api",
    "server.seeding",
    "server.config",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "server.config.middleware.SecurityHeadersMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "server.config.middleware.RequestLogMiddleware",
    "server.config.availability.AvailabilityMiddleware",
    "server.api.middleware.OpenReadingMiddleware",
    "server.api.middleware.CompressionMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
]

ROOT_URLCONF = "server.config.urls"
WSGI_APPLICATION = "server.config.wsgi.application"
ASGI_APPLICATION = "server.config.asgi.application"

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
    # Parts of pages with many cells (server/web/hot.py); a name that both engines knew would be the first's.
    {
        "NAME": "hot",
        "BACKEND": "django.template.backends.jinja2.Jinja2",
        "APP_DIRS": True,
        "OPTIONS": {"environment": "server.web.hot.environment"},
    },
]

# PostgreSQL and Redis are the only ones; the embedded instances are addressed in the same way as real
# servers.
_SERVICES_HINT = (
    "Point it at a server, or start the embedded services: `python3 tools/services.py run -- COMMAND`."
)
DATABASES = {"default": database_from_url(env.text("DATABASE_URL", hint=_SERVICES_HINT))}
DATABASES["default"]["CONN_MAX_AGE"] = env.integer("DATABASE_CONN_MAX_AGE_S", 60)
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
# Whoever opens a cursor here reads it to its end, so that the plan for all rows is the right one. Compiling
# a query's expressions costs more than the queries of pages take.
DATABASES["default"]["OPTIONS"].setdefault("options", "-c cursor_tuple_fraction=1.0 -c jit=off")
REDIS_URL = env.text("REDIS_URL", hint=_SERVICES_HINT)
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "diskatlas",
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True

STATIC_URL = "/static/"
STATIC_ROOT = Path(env.text("STATIC_ROOT", str(BASE_DIR / ".build" / "static")))
DATA_DIR = Path(env.text("DATA_DIR", str(BASE_DIR / ".data")))
MAINTENANCE_FILE = Path(env.text("MAINTENANCE_FILE", str(DATA_DIR / "maintenance")))
"""While this file is there, every page says that the archive is being looked after, and the file's words."""
DOWNLOADS_DIR = Path(env.text("DOWNLOADS_DIR", str(BASE_DIR / ".build" / "downloads")))
"""Holds the probe's binaries and their SHA256SUMS; pages offer them under /download/."""

S3_BUCKET = env.optional("S3_BUCKET")
_envelopes: dict[str, Any] = (
    {
        "BACKEND": "storages.backends.s3.S3Storage",
        "OPTIONS": {
            "bucket_name": S3_BUCKET,
            "endpoint_url": env.optional("S3_ENDPOINT_URL"),
            "region_name": env.optional("S3_REGION"),
            "access_key": env.optional("S3_ACCESS_KEY"),
            "secret_key": env.optional("S3_SECRET_KEY"),
            "file_overwrite": True,
            "default_acl": None,
        },
    }
    if S3_BUCKET
    else {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {
            "location": env.text("ENVELOPES_DIR", str(DATA_DIR / "envelopes")),
            "allow_overwrite": True,
            "file_permissions_mode": 0o640,
        },
    }
)
_datasets: dict[str, Any] = (
    {**_envelopes, "OPTIONS": {**_envelopes["OPTIONS"], "location": "datasets"}}
    if S3_BUCKET
    else {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {
            "location": env.text("DATASETS_DIR", str(DATA_DIR / "datasets")),
            "allow_overwrite": True,
        },
    }
)
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "envelopes": _envelopes,
    "datasets": _datasets,
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

# The publication log. Without a key one is made in the data folder, once.
LOG_ORIGIN = env.text("LOG_ORIGIN", "localhost/diskatlas-log")
LOG_KEY = env.optional("LOG_KEY")
LOG_KEY_FILE = Path(env.text("LOG_KEY_FILE", str(DATA_DIR / "log-key")))

# Dataset releases.
RELEASE_DAY_OF_MONTH = env.integer("RELEASE_DAY_OF_MONTH", 1, low=0, high=28)
RELEASE_TIME_LIMIT_S = env.integer("RELEASE_TIME_LIMIT_S", 6 * 3600, low=60)

# Limits of a submission.
SUBMISSION_MAX_WIRE_BYTES = env.integer("SUBMISSION_MAX_WIRE_BYTES", 16 * 1024**2, low=1024)
SUBMISSION_MAX_BYTES = env.integer("SUBMISSION_MAX_BYTES", 64 * 1024**2, low=1024)
SUBMISSION_MAX_DEPTH = env.integer("SUBMISSION_MAX_DEPTH", 32, low=8, high=200)
SUBMISSION_CLOCK_TOLERANCE_S = env.integer("SUBMISSION_CLOCK_TOLERANCE_S", 3600)
SUBMISSION_RATE = env.text("SUBMISSION_RATE", "60/min")
REJECTED_KEEP_DAYS = env.integer("REJECTED_KEEP_DAYS", 90, low=1)

# The life of a submission (`server/submissions/lifecycle.py`).
PIPELINE_STALE_AFTER_S = env.integer("PIPELINE_STALE_AFTER_S", 90, low=1)
PIPELINE_SWEEP_EVERY_S = env.integer("PIPELINE_SWEEP_EVERY_S", 30, low=1)
PIPELINE_SWEEP_MAX_S = env.integer("PIPELINE_SWEEP_MAX_S", 3600, low=1)
PIPELINE_MAX_ATTEMPTS = env.integer("PIPELINE_MAX_ATTEMPTS", 5, low=1)
PIPELINE_TASK_TIME_LIMIT_S = env.integer("PIPELINE_TASK_TIME_LIMIT_S", 600, low=10)
AGGREGATES_REST_FACTOR = env.integer("AGGREGATES_REST_FACTOR", 30, low=0)
PAGES_KEPT_S = env.integer("PAGES_KEPT_S", 60, low=0)
ARCHIVE_COUNTS_EVERY_S = env.integer("ARCHIVE_COUNTS_EVERY_S", 15, low=1)
PIPELINE_VISIBILITY_TIMEOUT_S = env.integer("PIPELINE_VISIBILITY_TIMEOUT_S", 900, low=1)

NUM_PROXIES = env.integer("NUM_PROXIES", 0)
REST_FRAMEWORK = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "server.api.negotiation.JSONNegotiation",
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.AllowAny"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_THROTTLE_RATES": {"submission": SUBMISSION_RATE},
    "NUM_PROXIES": NUM_PROXIES,
    "URL_FORMAT_OVERRIDE": None,
    "EXCEPTION_HANDLER": "server.api.errors.problem_exception_handler",
    "UNAUTHENTICATED_USER": None,
    "UNAUTHENTICATED_TOKEN": None,
}
API_LIMITS = {
    "read": (env.integer("API_READS_PER_MINUTE", 600, low=1), 60),
    "read-by-token": (env.integer("API_READS_PER_MINUTE_BY_TOKEN", 6000, low=1), 60),
    "export": (env.integer("API_EXPORTS_PER_HOUR", 60, low=1), 3600),
    "export-by-token": (env.integer("API_EXPORTS_PER_HOUR_BY_TOKEN", 600, low=1), 3600),
}
"""Requests and the seconds that they are counted over, by what is asked and who asks."""
API_PAGE_LIMIT_MS = env.integer("API_PAGE_LIMIT_MS", 10_000, low=100)
API_EXPORT_LIMIT_MS = env.integer("API_EXPORT_LIMIT_MS", 120_000, low=100)
"""How long the database may look for the rows of a page, and for a piece of a stream of all rows."""
SPECTACULAR_SETTINGS = {
    "TITLE": "DiskAtlas API",
    "DESCRIPTION": "Submit signed runs, and read the archive: drive models, runs, samples, numbers, claims.",
    "VERSION": API_VERSION,
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "OAS_VERSION": "3.1.1",
    "PREPROCESSING_HOOKS": ["server.api.framework.openapi.without_suffixes"],
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "server.api.framework.openapi.streams_as_text",
        "server.api.framework.openapi.parameters_as_checked",
    ],
    "ENUM_NAME_OVERRIDES": {
        "SubmissionState": "server.core.lifecycle.State",
        "BenchmarkState": "server.measurements.models.run.Benchmark.State",
        "FollowState": "server.api.subscriptions.STATES",
        "DeliveryState": "server.subscriptions.models.Delivery.State",
        "Provenance": "server.core.lifecycle.Provenance",
        "Outcome": "server.api.resources.claims.OUTCOMES",
    },
}

# Security. Everything a page loads comes from this origin, so the policy needs no host and no inline script.
CONTENT_SECURITY_POLICY = (
    "default-src 'self'; img-src 'self' data:; style-src 'self'; script-src 'self'; object-src 'none'; "
    "base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
)
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
HTTPS = env.flag("HTTPS", default=False)
"""Whether the site is reached over HTTPS: cookies become secure and HSTS is sent."""
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31536000 if HTTPS else 0
if env.flag("BEHIND_PROXY"):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

ACCOUNT_EMAIL_VERIFICATION = "optional"

# Mail: to a server where one is named, else into files where a folder is named, else to the log.
EMAIL_HOST = env.text("EMAIL_HOST", "localhost")
EMAIL_PORT = env.integer("EMAIL_PORT", 587, low=1, high=65535)
EMAIL_HOST_USER = env.optional("EMAIL_HOST_USER") or ""
EMAIL_HOST_PASSWORD = env.optional("EMAIL_HOST_PASSWORD") or ""
EMAIL_USE_SSL = env.flag("EMAIL_USE_SSL")
EMAIL_USE_TLS = env.flag("EMAIL_USE_TLS", default=not EMAIL_USE_SSL)
EMAIL_TIMEOUT = 20
EMAIL_FILE_PATH = env.optional("EMAIL_FILE_PATH")
EMAIL_BACKEND = "django.core.mail.backends.{}.EmailBackend".format(
    "smtp" if env.optional("EMAIL_HOST") else "filebased" if EMAIL_FILE_PATH else "console"
)
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.text("EMAIL_FROM", "DiskAtlas <diskatlas@localhost>")

# Followed drives.
SITE_URL = env.text("SITE_URL", "http://localhost:8000").rstrip("/")
"""The site's address from outside: what mails and webhooks link to."""
FOLLOW_WINDOW_S = env.integer("FOLLOW_WINDOW_S", 300)
FOLLOW_CONFIRM_HOURS = env.integer("FOLLOW_CONFIRM_HOURS", 48, low=1)
FOLLOW_KEEP_DAYS = env.integer("FOLLOW_KEEP_DAYS", 30, low=1)
FOLLOW_MAILS_PER_HOUR = env.integer("FOLLOW_MAILS_PER_HOUR", 20, low=1)
FOLLOW_ALLOW_LOOPBACK = env.flag("FOLLOW_ALLOW_LOOPBACK")
"""For tests on one machine only: webhooks may then point at it, by http too."""

LOG_LEVEL = env.text("LOG_LEVEL", "INFO")
LOG_JSON = env.flag("LOG_JSON", default=not DEBUG)
LOGGING_CONFIG = "server.config.logging.configure"
LOGGING: dict[str, Any] = {"level": LOG_LEVEL, "json": LOG_JSON}
