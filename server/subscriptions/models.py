"""Who wants to know of new runs of a drive model, what is to be told, and what became of it."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Lower

from server.core.ids import uuid7


class Subscription(models.Model):
    """One drive model, followed at a mail address or at a webhook.

    Ending a follow deletes its row: of a mail address nothing is kept.
    """

    class Channel(models.TextChoices):
        MAIL = "mail"
        WEBHOOK = "webhook"

    class State(models.TextChoices):
        UNCONFIRMED = "unconfirmed"
        ACTIVE = "active"
        PAUSED = "paused"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    drive_model = models.ForeignKey("catalog.DriveModel", on_delete=models.CASCADE, related_name="follows")
    channel = models.CharField(max_length=8, choices=Channel)
    mail = models.CharField(max_length=254, blank=True)
    url = models.CharField(max_length=500, blank=True)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="follows"
    )
    secret = models.CharField(
        max_length=80, blank=True, help_text="Signs the webhook's messages. Shown once, when it is made."
    )
    simulated = models.BooleanField(default=False, help_text="Whether runs of simulated drives count too.")
    state = models.CharField(max_length=12, choices=State, default=State.UNCONFIRMED)
    reason = models.CharField(max_length=300, blank=True, help_text="Why it is paused.")
    created_at = models.DateTimeField()
    asked_at = models.DateTimeField(null=True, blank=True, help_text="When a confirmation was sent last.")
    paused_at = models.DateTimeField(null=True, blank=True)
    active_since = models.DateTimeField(null=True, blank=True, help_text="Runs published before are no news.")

    class Meta:
        ordering = ["created_at", "id"]
        constraints = [
            models.UniqueConstraint(
                "drive_model", Lower("mail"), condition=models.Q(channel="mail"), name="follow_mail_once"
            ),
            models.UniqueConstraint(
                fields=["drive_model", "owner", "url"],
                condition=models.Q(channel="webhook"),
                name="follow_webhook_once",
            ),
            models.CheckConstraint(
                condition=(
                    models.Q(channel="mail", url="", secret="", owner__isnull=True) & ~models.Q(mail="")
                )
                | (
                    models.Q(channel="webhook", mail="", owner__isnull=False)
                    & ~models.Q(url="")
                    & ~models.Q(secret="")
                ),
                name="follow_says_where",
            ),
            models.CheckConstraint(
                condition=~models.Q(state="active") | models.Q(active_since__isnull=False),
                name="follow_active_has_time",
            ),
        ]
        indexes = [
            models.Index(fields=["drive_model"], condition=models.Q(state="active"), name="follow_of_model"),
            models.Index(
                fields=["created_at"], condition=models.Q(state="unconfirmed"), name="follow_unconfirmed"
            ),
            models.Index(fields=["owner", "created_at", "id"], name="follow_of_owner"),
        ]

    def __str__(self) -> str:
        return f"{self.channel} {self.id}"


class PendingNotification(models.Model):
    """A published run that nobody was told of yet, written in the transaction that published it."""

    run = models.OneToOneField(
        "measurements.Run", on_delete=models.CASCADE, primary_key=True, related_name="+"
    )
    drive_model = models.ForeignKey("catalog.DriveModel", on_delete=models.CASCADE, related_name="+")
    noted_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["noted_at"], name="pendingnotification_in_order")]

    def __str__(self) -> str:
        return str(self.run_id)


class Delivery(models.Model):
    """One message to one follower. Its body never changes, so that a repeated one is the same message."""

    class Kind(models.TextChoices):
        RUNS = "runs"
        CONFIRMATION = "confirmation"
        TEST = "test"

    class State(models.TextChoices):
        WAITING = "waiting"
        DELIVERED = "delivered"
        GIVEN_UP = "given_up"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    follow = models.ForeignKey(Subscription, on_delete=models.CASCADE, related_name="deliveries")
    kind = models.CharField(max_length=12, choices=Kind)
    body = models.TextField(help_text="The message as JSON: what a webhook gets, and what a mail is made of.")
    runs = models.PositiveIntegerField(default=0, help_text="Runs that it tells of.")
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    created_at = models.DateTimeField()
    next_try_at = models.DateTimeField()
    attempts = models.PositiveSmallIntegerField(default=0)
    status = models.PositiveSmallIntegerField(null=True, blank=True, help_text="The last HTTP status.")
    error = models.CharField(max_length=300, blank=True, help_text="What went wrong at the last try.")
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "deliveries"
        ordering = ["-created_at", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state="waiting") | models.Q(ended_at__isnull=False),
                name="delivery_ended_has_time",
            ),
        ]
        indexes = [
            models.Index(
                fields=["next_try_at"], condition=models.Q(state="waiting"), name="delivery_waiting"
            ),
            models.Index(fields=["follow", "-created_at", "-id"], name="delivery_of_follow"),
            models.Index(fields=["ended_at"], name="delivery_ended"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.id} ({self.state})"
