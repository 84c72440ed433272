from django.apps import AppConfig


class SubmissionsConfig(AppConfig):
    name = "server.submissions"
    label = "submissions"
