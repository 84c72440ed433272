from django.apps import AppConfig


class MeasurementsConfig(AppConfig):
    name = "server.measurements"
    label = "measurements"
