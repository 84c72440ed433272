"""The WSGI entry point."""

import gc
import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "server.config.settings")

application = get_wsgi_application()

# A full collection goes through all that was imported, 0.2 s in the middle of somebody's page, though none of
# it ever goes. What a request makes vanishes with it, almost all of it without a collection.
gc.collect()
gc.freeze()
gc.set_threshold(50_000, 20, 20)
