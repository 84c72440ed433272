"""Where a webhook may point, and where no message ever goes."""

from __future__ import annotations

import ipaddress
import socket
import ssl
from typing import Any

import pytest
from django.conf import LazySettings

from server.subscriptions import delivery
from server.subscriptions.delivery import PostFailed, message_post
from server.subscriptions.webhooks import BadTarget, public, target_read
from tests.support.receiver import Receiver

NOT_PUBLIC = [
    "127.0.0.1",
    "127.8.8.8",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
    "224.0.0.1",
    "255.255.255.255",
    "240.0.0.1",
    "192.0.2.1",
    "198.18.0.1",
    "::1",
    "::",
    "fe80::1",
    "fc00::1",
    "fec0::1",
    "ff02::1",
    "2001:db8::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::1",
    "2002:7f00:1::",
    "2001:0:7f00:1::1",
]


@pytest.mark.parametrize("text", NOT_PUBLIC)
def test_an_address_that_is_not_the_internets_is_not_public(text: str) -> None:
    assert not public(ipaddress.ip_address(text))


@pytest.mark.parametrize("text", ["9.9.9.9", "2620:fe::fe", "::ffff:9.9.9.9"])
def test_an_address_of_the_internet_is_public(text: str) -> None:
    assert public(ipaddress.ip_address(text))


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/hook",
        "ftp://example.org/",
        "//example.org/hook",
        "https:///hook",
        "https://name:word@example.org/",
        "https://example.org/#part",
        "https://localhost/",
        "https://localhost./",
        "https://intranet/hook",
        "https://2130706433/",
        "https://[::1]/",
        "https://10.0.0.1/",
        "https://[::ffff:192.168.0.1]/",
        "https://example.org:99999/",
        "https://[::1/",
        "https://example.org/a b",
        "https://example.org/\r\nHost: other",
        "https://exämple.org/",
        "https://example.org/" + "x" * 500,
        "http://127.0.0.1/hook",
    ],
)
def test_an_address_that_no_message_may_go_to_is_refused_at_once(url: str) -> None:
    with pytest.raises(BadTarget):
        target_read(url)


def test_an_address_is_taken_apart() -> None:
    found = target_read("https://example.org:8443/hook?key=1")
    assert (found.host, found.port, found.path) == ("example.org", 8443, "/hook?key=1")


def answers(*addresses: str) -> Any:
    def look_up(_host: str, port: int, **_: object) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port)) for one in addresses]

    return look_up


def test_a_name_with_one_private_address_among_its_addresses_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", answers("9.9.9.9", "10.0.0.1"))
    monkeypatch.setattr(socket, "create_connection", lambda *_, **__: pytest.fail("it was connected to"))
    with pytest.raises(PostFailed, match=r"10\.0\.0\.1 is not an address of the public internet"):
        message_post(url="https://example.org/hook", body=b"{}", headers={})


def test_the_connection_goes_to_the_address_that_was_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name may answer otherwise the second time: it is not asked a second time."""
    asked: list[Any] = []

    def connect(address: Any, **_: object) -> Any:
        asked.append(address)
        raise ConnectionRefusedError("sample")

    monkeypatch.setattr(socket, "getaddrinfo", answers("9.9.9.9"))
    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(PostFailed, match=r"No connection to 9\.9\.9\.9"):
        message_post(url="https://example.org/hook", body=b"{}", headers={})
    assert asked == [("9.9.9.9", 443)]


def test_the_certificate_has_to_be_the_names(monkeypatch: pytest.MonkeyPatch, hook: Receiver) -> None:
    """A receiver without TLS fails the handshake: nothing of the message is sent in the clear."""
    url = hook.url.replace("http:", "https:")
    with pytest.raises(PostFailed, match="No answer"):
        message_post(url=url, body=b"{}", headers={})
    assert hook.received == []


def test_a_redirect_is_not_followed(hook: Receiver) -> None:
    hook.statuses, hook.headers = [302], {"Location": hook.url}
    answer = message_post(url=hook.url, body=b"{}", headers={})
    assert answer.status == 302 and not answer.taken
    assert len(hook.received) == 1


def test_the_certificate_is_checked_against_the_name(monkeypatch: pytest.MonkeyPatch, hook: Receiver) -> None:
    asked: list[Any] = []

    def wrap(context: ssl.SSLContext, _sock: socket.socket, *, server_hostname: str, **_: object) -> Any:
        asked.append((context.verify_mode, context.check_hostname, server_hostname))
        raise ConnectionRefusedError("sample")

    monkeypatch.setattr(ssl.SSLContext, "wrap_socket", wrap)
    with pytest.raises(PostFailed):
        message_post(url=hook.url.replace("http:", "https:"), body=b"{}", headers={})
    assert asked == [(ssl.CERT_REQUIRED, True, "127.0.0.1")]


def test_loopback_is_refused_where_no_setting_allows_it(hook: Receiver, settings: LazySettings) -> None:
    settings.FOLLOW_ALLOW_LOOPBACK = False
    with pytest.raises(PostFailed):
        message_post(url=hook.url, body=b"{}", headers={})
    assert hook.received == []


def test_a_receiver_that_never_answers_is_cut_off(monkeypatch: pytest.MonkeyPatch, hook: Receiver) -> None:
    monkeypatch.setattr(delivery, "WHOLE_TIMEOUT_S", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        with pytest.raises(PostFailed):
            message_post(url=f"http://127.0.0.1:{port}/", body=b"{}", headers={})
