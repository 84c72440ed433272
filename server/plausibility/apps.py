from django.apps import AppConfig


class PlausibilityConfig(AppConfig):
    name = "server.plausibility"
    label = "plausibility"
