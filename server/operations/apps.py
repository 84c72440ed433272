from django.apps import AppConfig


class OperationsConfig(AppConfig):
    """What whoever runs an archive needs: readiness, the doctor, backups."""

    name = "server.operations"
    label = "operations"
