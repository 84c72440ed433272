from django.apps import AppConfig


class DatasetsConfig(AppConfig):
    name = "server.datasets"
    verbose_name = "Datasets"
