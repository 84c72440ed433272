from django.apps import AppConfig


class TransparencyConfig(AppConfig):
    name = "server.transparency"
    label = "transparency"
