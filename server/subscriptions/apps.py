from django.apps import AppConfig


class SubscriptionsConfig(AppConfig):
    name = "server.subscriptions"
    label = "subscriptions"
    verbose_name = "Followed drives"
