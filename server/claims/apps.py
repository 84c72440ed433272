from django.apps import AppConfig


class ClaimsConfig(AppConfig):
    name = "server.claims"
    label = "claims"
