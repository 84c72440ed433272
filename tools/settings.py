"""Settings for work on the archive, apart from a site's own: sample archives, and with DEBUG=1 Django's pages
of errors and static files straight from the sources."""

from server.config.env import Env
from server.config.settings import *  # noqa: F403 -- a settings module extends another by its names
from server.config.settings import INSTALLED_APPS

env = Env()
DEBUG = env.bool("DEBUG", False)
env.seal()
INSTALLED_APPS = ["whitenoise.runserver_nostatic", *INSTALLED_APPS, "tools.sample_archive"]
