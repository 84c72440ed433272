"""Settings of the archive, read from the environment. `docs/operator/settings.md` lists the variables."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from marshmallow.validate import Range, Regexp

from server.api.description import TAGS
from server.api.version import API_VERSION
from server.config.env import SESSION, Env, databases_of
from server.config.providers import sign_in_providers
from server.config.site_names import SiteNames

BASE_DIR = Path(__file__).resolve().parents[2]
env = Env()

DEBUG = False
SECRET_KEY = env.str("SECRET_KEY")
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", [], subcast=str.strip)
_site = SiteNames(env.str("SITE_DOMAIN", "", validate=Regexp(r"[a-z0-9-]+(\.[a-z0-9-]+)*$|$")))
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", _site.hosts, subcast=str.strip)
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", _site.origins, subcast=str.strip)

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django.contrib.sitemaps",
    "corsheaders",
    "rest_framework",
    "django_filters",
    "drf_spectacular",
    # Before the accounts' pages, whose frame it gives them.
    "server.web",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.usersessions",
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
    "server.operations",
    "server.config",
]
SOCIALACCOUNT_PROVIDERS, _PROVIDER_ORIGINS = sign_in_providers(env)
INSTALLED_APPS += [f"allauth.socialaccount.providers.{name}" for name in SOCIALACCOUNT_PROVIDERS]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "server.config.middleware.SecurityHeadersMiddleware",
    "corsheaders.middleware.CorsMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "server.config.middleware.RequestLogMiddleware",
    "server.config.availability.AvailabilityMiddleware",
    "server.config.middleware.PageLimitMiddleware",
    "server.config.charset.CharsetMiddleware",
    "server.config.middleware.LargeBodyMiddleware",
    "server.web.redirects.DriveRedirectMiddleware",
    "server.api.middleware.CompressionMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "server.config.middleware.SecondFactorMiddleware",
]

ROOT_URLCONF = "server.config.urls"
WSGI_APPLICATION = "server.config.wsgi.application"

# The site's pages and mails are Jinja2's (server/web/templating.py). What stands in no `jinja2/` folder, the
# administration's pages, is Django's.
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.jinja2.Jinja2",
        "APP_DIRS": True,
        "OPTIONS": {"environment": "server.web.templating.environment"},
    },
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
]

# PostgreSQL and Redis are the only ones; the embedded instances are addressed in the same way as real
# servers.
DATABASE_STATEMENT_TIMEOUT_MS = env.int("DATABASE_STATEMENT_TIMEOUT_MS", 0, validate=Range(min=0))
DATABASES = databases_of(env, statement_timeout_ms=DATABASE_STATEMENT_TIMEOUT_MS)
REPLICA_MAX_LAG_S = env.int("REPLICA_MAX_LAG_S", 10, validate=Range(min=1))
"""How old what the replica answers with may be."""
DATABASE_SESSION = SESSION
"""What the account that `manage.py app_role` makes has of its own, behind a pool that passes nothing on."""
REDIS_URL = env.str("REDIS_URL")
CACHE_URL = env.str("CACHE_URL", REDIS_URL)
"""What may be forgotten, pages and counts of requests; a queue must refuse what it can't hold."""
CACHES = {
    "default": {
        "BACKEND": "server.core.cache.FailOpenRedisCache",
        "LOCATION": CACHE_URL,
        "KEY_PREFIX": "diskatlas",
    }
}
RATE_LIMIT_REDIS_URL: str | None = CACHE_URL
"""Where all processes count together; None has each count alone."""
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
STATIC_ROOT = env.path("STATIC_ROOT", BASE_DIR / ".build" / "static")
DATA_DIR = env.path("DATA_DIR", BASE_DIR / ".data")
MAINTENANCE_FILE = env.path("MAINTENANCE_FILE", DATA_DIR / "maintenance")
"""While this file is there, every page says that the archive is being looked after, and the file's words."""
DOWNLOADS_DIR = env.path("DOWNLOADS_DIR", BASE_DIR / ".build" / "downloads")
"""Holds the probe's binaries and their SHA256SUMS; pages offer them under /download/."""
IMPORT_PROGRAM = env.path(
    "IMPORT_PROGRAM", DOWNLOADS_DIR / f"diskatlas-{os.uname().machine}-unknown-linux-musl"
)
"""The probe that reads files which people drop into the page for importing; without it the page says so."""
IMPORTS_PER_HOUR = env.int("IMPORTS_PER_HOUR", 30, validate=Range(min=1))
"""Readings of files that one address may ask for."""

S3_BUCKET = env.str("S3_BUCKET", None)
BACKUP_TO = env.str("BACKUP_TO", "")
"""A folder, or s3://bucket/prefix, for `manage.py backup`."""
S3_TIMEOUT_S = env.int("S3_TIMEOUT_S", 10, validate=Range(min=1))
"""How long the object storage may take to connect, and to go on answering."""
S3_OPTIONS: dict[str, Any] = {
    "bucket_name": S3_BUCKET,
    "endpoint_url": env.str("S3_ENDPOINT_URL", None),
    "region_name": env.str("S3_REGION", None),
    "access_key": env.str("S3_ACCESS_KEY", None),
    "secret_key": env.str("S3_SECRET_KEY", None),
    "file_overwrite": True,
    "default_acl": None,
}
if S3_BUCKET or BACKUP_TO.startswith("s3://"):
    from botocore.config import Config as S3Config  # takes a fifth of a second to load

    # An object store that hangs must not hold a request for longer than its sender waits.
    S3_OPTIONS["client_config"] = S3Config(
        connect_timeout=S3_TIMEOUT_S, read_timeout=S3_TIMEOUT_S, retries={"total_max_attempts": 2}
    )


def _storage(prefix: dict[str, str], folder: Path, **options: Any) -> dict[str, Any]:
    """Return where files are kept: below a prefix of the bucket where there is one, else in a folder."""
    if S3_BUCKET:
        return {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": {**S3_OPTIONS, **prefix}}
    options = {"location": str(folder), "allow_overwrite": True, **options}
    return {"BACKEND": "server.core.envelope_store.WholeFileStorage", "OPTIONS": options}


STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "envelopes": _storage({}, env.path("ENVELOPES_DIR", DATA_DIR / "envelopes"), file_permissions_mode=0o640),
    "datasets": _storage({"location": "datasets"}, env.path("DATASETS_DIR", DATA_DIR / "datasets")),
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

# The publication log. Without a key one is made in the data folder, once.
LOG_ORIGIN = env.str("LOG_ORIGIN", _site.log_origin)
LOG_KEY = env.str("LOG_KEY", None)
LOG_KEY_FILE = env.path("LOG_KEY_FILE", DATA_DIR / "log-key")
LOG_WITNESSES = env.list("LOG_WITNESSES", [], subcast=str.strip)
"""Who is asked every hour to cosign the log's head, as `URL KEY` each."""
WITNESSED_LOGS = env.list("WITNESSED_LOGS", [], subcast=str.strip)
"""Verifier keys of the logs whose heads this archive cosigns when they are sent."""

# Dataset releases.
RELEASE_DAY_OF_MONTH = env.int("RELEASE_DAY_OF_MONTH", 1, validate=Range(0, 28))
RELEASE_TIME_LIMIT_S = env.int("RELEASE_TIME_LIMIT_S", 6 * 3600, validate=Range(min=60))

# Limits of a submission.
SUBMISSION_MAX_WIRE_BYTES = env.int("SUBMISSION_MAX_WIRE_BYTES", 16 * 1024**2, validate=Range(min=1024))
SUBMISSION_MAX_BYTES = env.int("SUBMISSION_MAX_BYTES", 64 * 1024**2, validate=Range(min=1024))
SUBMISSION_MAX_DEPTH = env.int("SUBMISSION_MAX_DEPTH", 32, validate=Range(8, 200))
SUBMISSION_CLOCK_TOLERANCE_S = env.int("SUBMISSION_CLOCK_TOLERANCE_S", 3600, validate=Range(min=0))
SUBMISSION_RATE = env.str("SUBMISSION_RATE", "60/min", validate=Regexp(r"[1-9][0-9]*/(s|m|h|d)[a-z]*$"))
SUBMISSION_MIB_PER_DAY = {
    "key": env.int("SUBMISSION_MIB_PER_DAY_BY_KEY", 1024, validate=Range(min=1)),
    "block": env.int("SUBMISSION_MIB_PER_DAY_BY_NETWORK", 2048, validate=Range(min=1)),
    "all": env.int("SUBMISSION_MIB_PER_DAY", 20_480, validate=Range(min=1)),
}
"""How much is stored a day of one key, from one network and in all, before compression."""
SUBMISSIONS_WAITING_MAX = env.int("SUBMISSIONS_WAITING_MAX", 20_000, validate=Range(min=1))
"""Above it uploads get 503: what was promised comes first."""
REJECTED_KEEP_DAYS = env.int("REJECTED_KEEP_DAYS", 90, validate=Range(min=1))

# The life of a submission (`server/submissions/pipeline.py`, `sweeper.py`).
PIPELINE_STALE_AFTER_S = env.int("PIPELINE_STALE_AFTER_S", 90, validate=Range(min=1))
PIPELINE_SWEEP_EVERY_S = env.int("PIPELINE_SWEEP_EVERY_S", 30, validate=Range(min=1))
PIPELINE_SWEEP_MAX_S = env.int("PIPELINE_SWEEP_MAX_S", 3600, validate=Range(min=1))
PIPELINE_MAX_ATTEMPTS = env.int("PIPELINE_MAX_ATTEMPTS", 5, validate=Range(min=1))
PIPELINE_TASK_TIME_LIMIT_S = env.int("PIPELINE_TASK_TIME_LIMIT_S", 600, validate=Range(min=10))
MODEL_REFRESH_DELAY_S = env.int("MODEL_REFRESH_DELAY_S", 10, validate=Range(min=0))
AGGREGATES_COOLDOWN_FACTOR = env.int("AGGREGATES_COOLDOWN_FACTOR", 30, validate=Range(min=0))
PAGE_CACHE_S = env.int("PAGE_CACHE_S", 600, validate=Range(min=0))
ARCHIVE_COUNTS_EVERY_S = env.int("ARCHIVE_COUNTS_EVERY_S", 15, validate=Range(min=1))
PIPELINE_VISIBILITY_TIMEOUT_S = env.int("PIPELINE_VISIBILITY_TIMEOUT_S", 900, validate=Range(min=1))

WEB_THREADS = env.int("WEB_THREADS", 4, validate=Range(min=1))
"""Requests that a process of the web server answers at once: half of them may bring a large body."""

BEHIND_PROXY = env.bool("BEHIND_PROXY", _site.public)
"""Whether a proxy in front says by which scheme and from which address a request came."""
NUM_PROXIES = env.int("NUM_PROXIES", int(BEHIND_PROXY), validate=Range(min=0))
REST_FRAMEWORK = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "server.api.framework.formats.JSONNegotiation",
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.AllowAny"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "URL_FORMAT_OVERRIDE": None,
    "EXCEPTION_HANDLER": "server.api.errors.problem_exception_handler",
    "UNAUTHENTICATED_USER": None,
    "UNAUTHENTICATED_TOKEN": None,
}
DATASETS_DOI = env.str("DATASETS_DOI", "")
"""The DOI that a release is registered under, with `{number}` for its number; empty where there is none."""
PAGE_READS_PER_MINUTE = env.int("PAGE_READS_PER_MINUTE", 600, validate=Range(min=1))
"""Pages that one address may read: a person takes some ten, and what the pages load counts too."""
API_LIMITS = {
    "read": (env.int("API_READS_PER_MINUTE", 600, validate=Range(min=1)), 60),
    "read-by-token": (env.int("API_READS_PER_MINUTE_BY_TOKEN", 6000, validate=Range(min=1)), 60),
    "export": (env.int("API_EXPORTS_PER_HOUR", 60, validate=Range(min=1)), 3600),
    "export-by-token": (env.int("API_EXPORTS_PER_HOUR_BY_TOKEN", 600, validate=Range(min=1)), 3600),
    "samples": (env.int("API_SAMPLES_PER_HOUR", 200_000_000, validate=Range(min=1)), 3600),
    "samples-by-token": (
        env.int("API_SAMPLES_PER_HOUR_BY_TOKEN", 2_000_000_000, validate=Range(min=1)),
        3600,
    ),
}
"""Requests, and samples that are given, and the seconds that they are counted over, by what is asked and who
asks."""
# Scripts of any site may read what is public anyway. No cookie counts there, so there is nothing to protect
# from them, and writing after a preflight is not allowed.
CORS_URLS_REGEX = r"/(api/|schema/|drives/[^/]+/badge\.svg$)"
CORS_ALLOW_ALL_ORIGINS = True
CORS_ALLOW_METHODS = ["GET", "HEAD", "OPTIONS"]
CORS_ALLOW_HEADERS = ["Accept", "Authorization", "If-None-Match", "If-Range", "Range"]
CORS_EXPOSE_HEADERS = [
    *("ETag", "Last-Modified", "Link", "Location", "RateLimit", "RateLimit-Policy", "Retry-After"),
    *("Accept-Ranges", "Content-Disposition", "Content-Length", "Content-Range"),
]
API_PAGE_LIMIT_MS = env.int("API_PAGE_LIMIT_MS", 10_000, validate=Range(min=100))
API_EXPORT_LIMIT_MS = env.int("API_EXPORT_LIMIT_MS", 120_000, validate=Range(min=100))
"""How long the database may look for the rows of a page, and for a piece of a stream of all rows."""
SPECTACULAR_SETTINGS = {
    "TITLE": "DiskAtlas API",
    "DESCRIPTION": "Submit signed runs, and read the archive: drive models, runs, samples, numbers, claims.",
    "VERSION": API_VERSION,
    "SERVERS": [{"url": "/", "description": "The archive that serves this document."}],
    "CONTACT": {"name": "The archive's operator"},
    "LICENSE": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
    "TAGS": TAGS,
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "OAS_VERSION": "3.1.1",
    "PREPROCESSING_HOOKS": ["server.api.framework.openapi.without_suffixes"],
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "server.api.framework.openapi.streams_as_text",
        "server.api.framework.openapi.parameters_as_checked",
        "server.api.resources.shared.names_as_components",
        "server.api.description.documents_as_components",
        "server.api.parameter_examples.parameters_with_examples",
    ],
    "ENUM_NAME_OVERRIDES": {
        "SubmissionState": "server.core.lifecycle.State",
        "BenchmarkState": "server.measurements.models.run.Benchmark.State",
        "KeyLoginState": "server.api.keys.LOGIN_STATES",
        "KeyStatus": "server.accounts.models.ProbeKey.Status",
        "ArchiveEventType": "server.subscriptions.models.ArchiveEvent.Kind",
        "FollowState": "server.api.subscriptions.STATES",
        "DeliveryState": "server.subscriptions.models.Delivery.State",
        "Provenance": "server.core.lifecycle.Provenance",
        "Outcome": "server.api.resources.claims.OUTCOMES",
    },
}

# Security. Everything a page loads comes from this origin, so the policy needs no host and no inline script.
# Forms lead here alone, and to the providers by which an operator lets people sign in.
CONTENT_SECURITY_POLICY = (
    "default-src 'self'; img-src 'self' data:; style-src 'self'; script-src 'self'; object-src 'none'; "
    "base-uri 'none'; frame-ancestors 'none'; form-action " + " ".join(["'self'", *_PROVIDER_ORIGINS])
)
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
HTTPS = env.bool("HTTPS", _site.public)
"""Whether the site is reached over HTTPS: cookies become secure and HSTS is sent."""
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_SSL_REDIRECT = HTTPS
# Asked on the machine itself, where nobody speaks TLS.
SECURE_REDIRECT_EXEMPT = [r"^health/$", r"^healthz$", r"^readyz$"]
SECURE_HSTS_SECONDS = 31536000 if HTTPS else 0
if BEHIND_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

LOGIN_URL = "account_login"
SIGN_UP = env.bool("SIGN_UP", False)
"""Whether visitors may make accounts; else an administrator makes them."""
LOGIN_REDIRECT_URL = "account-runs"
# An account is its mail address; nobody chooses a name that others could try, or read in a mail.
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_LOGIN_METHODS = {"email", "username"}
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
# Who asks for an address without an account is told the same, and the address gets no mail.
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_ADAPTER = "server.accounts.adapter.AccountAdapter"
SOCIALACCOUNT_ADAPTER = "server.accounts.adapter.ProviderAdapter"
ACCOUNT_FORMS = {"login": "server.accounts.forms.LoginForm"}
MFA_ADAPTER = "server.accounts.adapter.SecondFactorAdapter"
MFA_SUPPORTED_TYPES = ["webauthn", "totp", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_TOTP_ISSUER = "DiskAtlas"
MFA_TOTP_TOLERANCE = 1
"""RFC 6238, section 5.2: at most one time step for delays and clocks."""
# Browsers know no secure origin without TLS but this machine's own.
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not HTTPS

# Mail: to a server where one is named, else into files where a folder is named, else to the log.
EMAIL_HOST = env.str("EMAIL_HOST", "localhost")
EMAIL_PORT = env.int("EMAIL_PORT", 587, validate=Range(1, 65535))
EMAIL_HOST_USER = env.str("EMAIL_HOST_USER", "")
EMAIL_HOST_PASSWORD = env.str("EMAIL_HOST_PASSWORD", "")
EMAIL_USE_SSL = env.bool("EMAIL_USE_SSL", False)
EMAIL_USE_TLS = env.bool("EMAIL_USE_TLS", not EMAIL_USE_SSL)
EMAIL_TIMEOUT = 20
EMAIL_FILE_PATH = env.str("EMAIL_FILE_PATH", None)
EMAIL_BACKEND = "django.core.mail.backends.{}.EmailBackend".format(
    "smtp" if env.str("EMAIL_HOST", None) else "filebased" if EMAIL_FILE_PATH else "console"
)
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.str("EMAIL_FROM", _site.mail_from)

# Followed drives.
SITE_URL = env.str("SITE_URL", _site.url).rstrip("/")
"""The site's address from outside: what mails and webhooks link to."""
SECURITY_CONTACT = env.str("SECURITY_CONTACT", "", validate=Regexp(r"(mailto:|https://)\S+$|$"))
"""Whom to tell of a hole, as an address that security.txt may have (RFC 9116)."""
FOLLOW_WINDOW_S = env.int("FOLLOW_WINDOW_S", 300, validate=Range(min=0))
FOLLOW_CONFIRM_HOURS = env.int("FOLLOW_CONFIRM_HOURS", 48, validate=Range(min=1))
FOLLOW_KEEP_DAYS = env.int("FOLLOW_KEEP_DAYS", 30, validate=Range(min=1))
MAILS_PER_RECIPIENT_PER_DAY = env.int("MAILS_PER_RECIPIENT_PER_DAY", 6, validate=Range(min=1))
"""Mails that anybody may ask for to one address, whoever asks: resets, and confirmations of follows."""
ASKS_PER_HOUR = env.int("ASKS_PER_HOUR", 30, validate=Range(min=1))
FOLLOW_MAILS_PER_HOUR = env.int("FOLLOW_MAILS_PER_HOUR", 20, validate=Range(min=1))
FOLLOW_ALLOW_LOOPBACK = env.bool("FOLLOW_ALLOW_LOOPBACK", False)
"""For tests on one machine only: webhooks may then point at it, by http too."""

LOG_LEVEL = env.str("LOG_LEVEL", "INFO")
LOG_JSON = env.bool("LOG_JSON", True)
LOGGING_CONFIG = "server.config.logging.configure"
LOGGING: dict[str, Any] = {"level": LOG_LEVEL, "json": LOG_JSON}

env.seal()
