import django.db.models.deletion
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models

import server.core.ids


class Migration(migrations.Migration):
    initial = True

    dependencies = [("accounts", "__first__"), ("catalog", "0001_initial"), ("measurements", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="Subscription",
            fields=[
                ("id", models.UUIDField(default=server.core.ids.uuid7, primary_key=True, serialize=False)),
                ("channel", models.CharField(max_length=8)),
                ("mail", models.CharField(max_length=254)),
                ("url", models.CharField(max_length=500)),
                ("secret", models.CharField(max_length=80)),
                ("simulated", models.BooleanField(default=False)),
                ("state", models.CharField(default="unconfirmed", max_length=12)),
                ("reason", models.CharField(max_length=300)),
                ("created_at", models.DateTimeField()),
                ("asked_at", models.DateTimeField(null=True)),
                ("paused_at", models.DateTimeField(null=True)),
                ("active_since", models.DateTimeField(null=True)),
                (
                    "drive_model",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="follows",
                        to="catalog.drivemodel",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="follows",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["created_at", "id"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("state", "active")),
                        fields=["drive_model"],
                        name="follow_of_model",
                    ),
                    models.Index(
                        condition=models.Q(("state", "unconfirmed")),
                        fields=["created_at"],
                        name="follow_unconfirmed",
                    ),
                    models.Index(fields=["owner", "created_at", "id"], name="follow_of_owner"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        models.F("drive_model"),
                        django.db.models.functions.text.Lower("mail"),
                        condition=models.Q(("channel", "mail")),
                        name="follow_mail_once",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("channel", "webhook")),
                        fields=("drive_model", "owner", "url"),
                        name="follow_webhook_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("channel", "mail"),
                                ("owner__isnull", True),
                                ("secret", ""),
                                ("url", ""),
                                models.Q(("mail", ""), _negated=True),
                            ),
                            models.Q(
                                ("channel", "webhook"),
                                ("mail", ""),
                                ("owner__isnull", False),
                                models.Q(("url", ""), _negated=True),
                                models.Q(("secret", ""), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="follow_says_where",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "active"), _negated=True),
                            ("active_since__isnull", False),
                            _connector="OR",
                        ),
                        name="follow_active_has_time",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="PendingNotification",
            fields=[
                (
                    "run",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="measurements.run",
                    ),
                ),
                ("noted_at", models.DateTimeField()),
                (
                    "drive_model",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="catalog.drivemodel"
                    ),
                ),
            ],
            options={"indexes": [models.Index(fields=["noted_at"], name="pendingnotification_in_order")]},
        ),
        migrations.CreateModel(
            name="Delivery",
            fields=[
                ("id", models.UUIDField(default=server.core.ids.uuid7, primary_key=True, serialize=False)),
                ("kind", models.CharField(max_length=12)),
                ("body", models.TextField()),
                ("runs", models.PositiveIntegerField(default=0)),
                ("state", models.CharField(default="waiting", max_length=10)),
                ("created_at", models.DateTimeField()),
                ("next_try_at", models.DateTimeField()),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("status", models.PositiveSmallIntegerField(null=True)),
                ("error", models.CharField(max_length=300)),
                ("ended_at", models.DateTimeField(null=True)),
                (
                    "follow",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="subscriptions.subscription",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "deliveries",
                "ordering": ["-created_at", "-id"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("state", "waiting")),
                        fields=["next_try_at"],
                        name="delivery_waiting",
                    ),
                    models.Index(fields=["follow", "-created_at", "-id"], name="delivery_of_follow"),
                    models.Index(fields=["ended_at"], name="delivery_ended"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state", "waiting"), ("ended_at__isnull", False), _connector="OR"
                        ),
                        name="delivery_ended_has_time",
                    )
                ],
            },
        ),
    ]
