"""Sending a message, and what follows from how that went.

A try is counted before it is made, so that a worker that dies in it neither loses the message nor tries for
ever. A message may therefore come twice; its id is the same then.
"""

from __future__ import annotations

import contextlib
import http.client
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlsplit
from uuid import UUID

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet

from server.core import clock
from server.core.locks import session_lock
from server.core.task_queue import message_send
from server.subscriptions.messages import mail_of
from server.subscriptions.models import Delivery, Subscription
from server.subscriptions.webhooks import BadTarget, Target, addresses_of, headers, message_id, target_read

# ---- Putting messages into the queue. The rows are the truth: what the queue loses, the sweep finds.

log = structlog.get_logger("diskatlas.subscriptions")


def delivery_enqueue(delivery_id: UUID) -> None:
    """Have a message sent once the transaction has committed."""
    transaction.on_commit(lambda: message_send("subscriptions.delivery_send", str(delivery_id)))


WAITS_S = (60, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400)
"""Seconds until the next try, after the first, the second...: ten tries within three days."""
_MOST_WAIT_S = 86_400
_GONE = 410
_BATCH = 500


class _Failed(Exception):
    """A try that failed."""

    def __init__(self, words: str, *, status: int | None = None, wait_s: int = 0, gone: bool = False) -> None:
        super().__init__(words[:300])
        self.status, self.wait_s, self.gone = status, wait_s, gone


TURN_S = 15.0


def deliveries_send(*, delivery_id: UUID) -> Delivery.State | None:
    """Send a message that is due; return its state, None where there is nothing to do.

    Webhooks of one account go out one after the other, a turn's length at a time: receivers that take long to
    answer keep one process from other followers, however many there are of them. Whoever has the account's
    turn sends what else is due; what comes too late for that is sent by the sweep.
    """
    owner = Delivery.objects.filter(pk=delivery_id).values_list("follow__owner_id", flat=True).first()
    if owner is None:
        return delivery_send(delivery_id=delivery_id)
    with session_lock("deliveries", str(owner)) as turn:
        if not turn:
            return None
        ends = time.monotonic() + TURN_S
        state, sent = delivery_send(delivery_id=delivery_id), {delivery_id}
        others = _due().filter(follow__owner_id=owner).order_by("next_try_at").values_list("pk", flat=True)
        while (other := others.exclude(pk__in=sent).first()) is not None and time.monotonic() < ends:
            delivery_send(delivery_id=other)
            sent.add(other)
    if other is not None:
        delivery_enqueue(other)
    return state


def delivery_send(*, delivery_id: UUID) -> Delivery.State | None:
    """Send a message that is due; return its state, None where there is nothing to do."""
    with session_lock("delivery", str(delivery_id)) as free:
        delivery = _due().select_related("follow").filter(pk=delivery_id).first() if free else None
        if delivery is None:
            return None
        attempts = delivery.attempts + 1
        wait_s = WAITS_S[min(attempts, len(WAITS_S)) - 1]
        delivery.attempts, delivery.next_try_at = attempts, clock.now() + timedelta(seconds=wait_s)
        delivery.save(update_fields=["attempts", "next_try_at"])
        try:
            status = _send(delivery)
        except _Failed as failed:
            _failure_record(delivery, failed)
        else:
            _end(delivery, Delivery.State.DELIVERED, status=status, error="")
        return Delivery.State(delivery.state)


def deliveries_sweep() -> int:
    """Put every message that is due into the queue; return how many."""
    ids = list(_due().order_by("next_try_at").values_list("pk", flat=True)[:_BATCH])
    for delivery_id in ids:
        delivery_enqueue(delivery_id)
    return len(ids)


def _due() -> QuerySet[Delivery]:
    """Return the messages whose time has come; what was never tried waits for none, whatever clock wrote
    it."""
    come = Q(next_try_at__lte=clock.now()) | Q(attempts=0)
    return Delivery.objects.filter(come, state=Delivery.State.WAITING)


def _send(delivery: Delivery) -> int | None:
    """Send a message; return the HTTP status of a webhook. Raises _Failed."""
    if not delivery.follow.mail:
        return _webhook_send(delivery)
    _mail_send(delivery)
    return None


def _webhook_send(delivery: Delivery) -> int:
    body = delivery.body.encode()
    signed = headers(
        secret=delivery.follow.secret,
        message=message_id(delivery.pk),
        timestamp_s=int(clock.now().timestamp()),
        body=body,
    )
    own = {"Content-Type": "application/json", "User-Agent": f"DiskAtlas-Webhooks/1 (+{settings.SITE_URL})"}
    try:
        answer = message_post(url=delivery.follow.url, body=body, headers={**signed, **own})
    except PostFailed as error:
        raise _Failed(str(error)) from None
    if answer.taken:
        return answer.status
    words = f"It answered {answer.status}, not 2xx."
    if 300 <= answer.status < 400:
        words += " Redirects are not followed: give the address that they lead to."
    raise _Failed(words, status=answer.status, wait_s=answer.retry_after_s or 0, gone=answer.status == _GONE)


def _mail_send(delivery: Delivery) -> None:
    try:
        mail_of(delivery).send()
    except OSError as error:
        # Of smtplib too. Its words may hold the address, which stays out of logs and rows.
        raise _Failed(f"The mail server did not take it: {type(error).__name__}.") from None


def _failure_record(delivery: Delivery, failed: _Failed) -> None:
    last = delivery.attempts > len(WAITS_S) or failed.gone
    log.info("not delivered", delivery=str(delivery.pk), attempts=delivery.attempts, error=str(failed))
    if not last:
        wait_s = min(max(failed.wait_s, WAITS_S[delivery.attempts - 1]), _MOST_WAIT_S)
        delivery.next_try_at = clock.now() + timedelta(seconds=wait_s)
        delivery.status, delivery.error = failed.status, str(failed)
        delivery.save(update_fields=["next_try_at", "status", "error"])
        return
    with transaction.atomic():
        _end(delivery, Delivery.State.GIVEN_UP, status=failed.status, error=str(failed))
        tries = "It is gone for good" if failed.gone else f"{delivery.attempts} tries failed"
        if delivery.follow.state == Subscription.State.ACTIVE:
            _pause(delivery.follow, f"{tries}: {failed}")


def _pause(follow: Subscription, reason: str) -> None:
    """Stop sending to a follower until they say that all is well again."""
    now = clock.now()
    Subscription.objects.filter(pk=follow.pk).update(
        state=Subscription.State.PAUSED, reason=reason[:300], paused_at=now
    )
    follow.deliveries.filter(state=Delivery.State.WAITING).update(
        state=Delivery.State.GIVEN_UP, ended_at=now, error="The follow was paused before."
    )


def _end(delivery: Delivery, state: Delivery.State, *, status: int | None, error: str) -> None:
    delivery.state, delivery.status, delivery.error = state, status, error
    delivery.ended_at = clock.now()
    delivery.save(update_fields=["state", "status", "error", "ended_at"])


# ---- Posting a message to a webhook: one request, to a checked address, without redirects, within bounds.

CONNECT_TIMEOUT_S = 5.0
READ_TIMEOUT_S = 10.0
WHOLE_TIMEOUT_S = 20.0
"""The whole request: whoever answers a byte now and then is cut off too."""
MOST_READ_BYTES = 4096


class PostFailed(Exception):
    """No answer came; its words say why."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a receiver answered."""

    status: int
    retry_after_s: int | None = None

    @property
    def taken(self) -> bool:
        """Whether the message was taken."""
        return 200 <= self.status < 300


def message_post(*, url: str, body: bytes, headers: Mapping[str, str]) -> Answer:
    """Post a body; raises PostFailed."""
    try:
        target = target_read(url)
        addresses = addresses_of(target)
    except BadTarget as error:
        raise PostFailed(str(error)) from None
    except OSError as error:
        raise PostFailed(f"The name could not be looked up: {error.strerror or error}.") from None
    trouble = "The name has no address."
    for address in addresses[:4]:
        try:
            sock = _connect(target, address)
        except OSError as error:
            trouble = f"No connection to {address}: {error.strerror or error}."
            continue
        try:
            with _deadline(sock):
                return _ask(sock, target, body, headers)
        except (OSError, http.client.HTTPException, ValueError) as error:
            # The receiver may have got it: another address is not tried with the same attempt.
            raise PostFailed(f"No answer: {str(error)[:150] or type(error).__name__}.") from None
        finally:
            sock.close()
    raise PostFailed(trouble)


def _connect(target: Target, address: str) -> socket.socket:
    """Connect to one address; TLS will check the certificate against the name, not the address."""
    sock = socket.create_connection((address, target.port), timeout=CONNECT_TIMEOUT_S)
    sock.settimeout(READ_TIMEOUT_S)
    if target.scheme == "http":
        return sock
    return ssl.create_default_context().wrap_socket(
        sock, server_hostname=target.host, do_handshake_on_connect=False
    )


def _ask(sock: socket.socket, target: Target, body: bytes, headers: Mapping[str, str]) -> Answer:
    """Send the request and read what tells how it went. No redirect is followed, no proxy is known."""
    if isinstance(sock, ssl.SSLSocket):
        sock.do_handshake()
    connection = http.client.HTTPConnection(target.host, target.port)
    connection.sock = sock
    own = {"Host": urlsplit(target.url).netloc, "Connection": "close"}
    connection.request("POST", target.path, body=body, headers={**headers, **own})
    response = connection.getresponse()
    with contextlib.suppress(OSError, http.client.HTTPException):
        response.read(MOST_READ_BYTES)
    wait = response.headers.get("Retry-After", "")
    seconds = int(wait) if wait.isascii() and wait.isdecimal() and len(wait) <= 6 else None
    return Answer(response.status, seconds)


@contextlib.contextmanager
def _deadline(sock: socket.socket) -> Iterator[None]:
    """Shut the connection down once the whole request took too long."""

    def shut() -> None:
        with contextlib.suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(WHOLE_TIMEOUT_S, shut)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
