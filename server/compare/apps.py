from django.apps import AppConfig


class CompareConfig(AppConfig):
    name = "server.compare"
    label = "compare"
