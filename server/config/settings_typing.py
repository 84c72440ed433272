"""What the type checker's Django plugin loads: the real settings, with stand-ins for what only a running
site knows."""

from server.config.settings_test import *  # noqa: F403 -- a settings module extends another by its names
