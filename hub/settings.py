"""Every setting of the hub, read from the environment once. docs/operations.md lists them."""

from __future__ import annotations

from pathlib import Path

from csp.constants import NONE, SELF

from hub import env, limits

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = env.text("HUB_DATA_DIR")

DEBUG = False
SECRET_KEY = env.text("HUB_SECRET_KEY", "unset-" + "0" * 50)
AUDIT_KEY = env.text("HUB_AUDIT_KEY", SECRET_KEY)
BASE_URL = env.text("HUB_BASE_URL", "http://127.0.0.1:8000")
ALLOWED_HOSTS = env.words("HUB_ALLOWED_HOSTS", "127.0.0.1,localhost,[::1]")
SECURE = BASE_URL.startswith("https://")

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "guardian",
    "csp",
    "django_htmx",
    "hub",
    "assets",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "hub.web.requests.RequestIdMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]
ROOT_URLCONF = "hub.urls"
ASGI_APPLICATION = "hub.asgi.application"
MOUNTS = {"/mcp": "assets.mcp.door.application"}  # addresses that are ASGI, outside of Django's
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": False,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "hub.web.navigation.allowed",
            ],
            "libraries": {},
        },
    }
]

DATABASES = {
    "default": {
        **env.database(env.text("DATABASE_URL", "postgresql://hub_app@127.0.0.1/hub")),
        "CONN_MAX_AGE": 600,
        "CONN_HEALTH_CHECKS": True,
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "hub.User"
AUTHENTICATION_BACKENDS = ["hub.authn.signin.PeopleBackend"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "/sign-in"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/sign-in"

# Guardian stores grants; its own checks know no expiry and decide nothing.
ANONYMOUS_USER_NAME = None
SILENCED_SYSTEM_CHECKS = [
    "guardian.W001",
    *([] if SECURE else ["security.W004", "security.W008", "security.W012", "security.W016"]),
]

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
LOCALE_PATHS = [BASE_DIR / "templates" / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "/static/"
STATIC_ROOT = Path(DATA_DIR or BASE_DIR) / "staticfiles"
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = False

SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SECURE = SECURE
CSRF_COOKIE_SECURE = SECURE
SECURE_SSL_REDIRECT = False
SECURE_HSTS_SECONDS = 31_536_000 if SECURE else 0
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CSRF_TRUSTED_ORIGINS = [BASE_URL]
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
LIMITS = limits.read(env.text("HUB_LIMITS"))
DATA_UPLOAD_MAX_MEMORY_SIZE = 20 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 10_000  # a draft of a loadout has six for each asset

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["hub.authn.bearer.BearerAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["hub.api.bodies.StrictJson"],
    "DEFAULT_SCHEMA_CLASS": "hub.api.schema.HubSchema",
    "EXCEPTION_HANDLER": "hub.answers.handler",
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Team Memory Hub",
    "VERSION": "1",
    "OAS_VERSION": "3.1.1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
}

BROKER_URL = env.text("BROKER_URL")

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": env.text("HUB_LOG_LEVEL", "INFO")},
}
