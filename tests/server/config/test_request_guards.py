"""What a request says of itself is not taken at its word: by which codec it is text, and how soon a large
body will be here."""

from __future__ import annotations

import time
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.test import Client, RequestFactory

from server.config.middleware import LargeBodyMiddleware
from server.config.wsgi import REFUSED, text_is_utf_8

pytestmark = pytest.mark.django_db
BOUNDARY = "sample"
CODECS = ("punycode", "rot13", "base64", "idna", "unicode_escape", "utf-16", "utf-7", "latin-1", "nosuch")
UNREADABLE = (
    "a/b; charset*=nosuch''x",
    "a/b; charset*=utf-8''x; charset*0=y",
    "a/b; charset*0*=x; charset*=y",
)


def asked(method: str, address: str, content_type: str, body: bytes = b"") -> tuple[str, str]:
    """Ask as the web server does; return status and body."""
    environ = RequestFactory().generic(method, address, body, content_type="x/y").environ
    told: list[str] = []
    site: Any = WSGIHandler()
    answer = text_is_utf_8(site)(
        environ | {"CONTENT_TYPE": content_type}, lambda status, _headers: told.append(status)
    )
    return told[0], b"".join(answer).decode()


def form(field: bytes) -> bytes:
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="text"\r\n\r\n'.encode()
    return head + field + f"\r\n--{BOUNDARY}--\r\n".encode()


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("address", ["/drives/?q=%41%ff-", "/api/v1/drives/?q=%41%ff-"])
def test_18_a_reader_does_not_choose_the_codec_that_an_address_is_read_by(codec: str, address: str) -> None:
    for method in ("GET", "POST"):
        status, body = asked(method, address, f"text/plain; charset={codec}", b"x")
        assert status == "415 Unsupported Media Type", (method, codec)
        assert codec in body and "UTF-8" in body


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("address", ["/accounts/login/", "/drives/ask/", "/contribute/import/"])
def test_18_nor_the_one_that_a_form_is_read_by(codec: str, address: str) -> None:
    kind = f"multipart/form-data; boundary={BOUNDARY}; charset={codec}"
    assert asked("POST", address, kind, form(b"x-\xff\\ud800"))[0] == "415 Unsupported Media Type"


def test_18_a_form_in_punycode_takes_no_quadratic_time() -> None:
    kind = f"multipart/form-data; boundary={BOUNDARY}; charset=punycode"
    began = time.monotonic()
    asked("POST", "/drives/ask/", kind, form(b"a" * 100_000 + b"-" + b"a" * 100_000))
    assert time.monotonic() - began < 0.5


@pytest.mark.parametrize("charset", ["utf-8", "UTF-8", '"utf-8"', "utf8", "us-ascii"])
def test_18_utf_8_by_any_of_its_names_is_read(charset: str) -> None:
    kind = f"multipart/form-data; boundary={BOUNDARY}; charset={charset}"
    environ = RequestFactory().generic("POST", "/?q=%41", form(b"x"), content_type=kind).environ
    read: list[WSGIRequest] = []

    def site(given: dict[str, Any], _start: Any) -> list[bytes]:
        read.append(WSGIRequest(given))
        return []

    text_is_utf_8(site)(environ, None)
    assert REFUSED not in environ
    assert (read[0].GET["q"], read[0].POST["text"]) == ("A", "x")


@pytest.mark.parametrize("kind", UNREADABLE)
def test_18_a_type_that_cannot_be_taken_apart_is_refused_in_words(kind: str) -> None:
    status, body = asked("GET", "/about/", kind)
    assert status == "415 Unsupported Media Type" and "UTF-8" in body


def test_18_a_sender_does_not_say_what_the_entry_point_found(client: Client) -> None:
    assert client.get("/about/", headers={"Diskatlas.Charset": "x"}).status_code == 200


def large(
    factory: RequestFactory, path: str = "/api/v1/submissions/", length: int = 2 * 1024**2
) -> HttpRequest:
    request = factory.post(path, b"", content_type="application/json")
    request.META["CONTENT_LENGTH"] = str(length)
    return request


@pytest.mark.parametrize("threads", [1, 4, 7])
def test_18_large_bodies_that_come_slowly_leave_half_of_the_threads_to_others(
    settings: LazySettings, rf: RequestFactory, threads: int
) -> None:
    settings.WEB_THREADS = threads
    reading: list[int] = []
    met: list[HttpResponseBase] = []

    def while_it_is_read(_request: HttpRequest) -> HttpResponse:
        """Another one comes while this one is read, as from another thread, and a small one, too."""
        reading.append(len(reading))
        met.append(middleware(large(rf)) if len(reading) <= threads else HttpResponse())
        reading.pop()
        return HttpResponse("read")

    middleware = LargeBodyMiddleware(while_it_is_read)
    assert middleware(large(rf)).status_code == 200
    refused = met[0]
    assert isinstance(refused, HttpResponse) and refused.status_code == 503
    assert len(met) == max(1, threads // 2)
    assert (
        refused.headers["Retry-After"] == "30" and b"none of your 2097152 bytes was read" in refused.content
    )
    met.clear()
    assert middleware(large(rf)).status_code == 200, "places are given back"
    assert LargeBodyMiddleware(lambda _request: HttpResponse())(large(rf, length=1024**2)).status_code == 200


def test_18_a_failure_gives_the_place_back(settings: LazySettings, rf: RequestFactory) -> None:
    settings.WEB_THREADS = 1
    failing = iter([True, False])

    def view(_request: HttpRequest) -> HttpResponse:
        if next(failing):
            raise ValueError("sample")
        return HttpResponse()

    middleware = LargeBodyMiddleware(view)
    with pytest.raises(ValueError):
        middleware(large(rf))
    assert middleware(large(rf)).status_code == 200
