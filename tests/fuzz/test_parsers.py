"""Whatever a stranger sends: it is taken, or refused with a reason, and nothing else comes of it. The probe's
side is `client/probe/tests/fuzz`.

A short run is part of the tests; `make fuzz-parsers INPUTS=1000000` makes a long one.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import orjson
import pytest
import zstandard
from django.core import signing

from server.api.request_body import BodyLimits, body_read
from server.catalog.names import drive_name
from server.catalog.services import search_text_of
from server.core.envelope import COMMAND_TYPE, PAYLOAD_TYPE, Envelope, envelope_parse, signature_check
from server.core.problems import Problem
from server.core.signed_note import NoteError, checkpoint_open, cosignature_open, verifier_key_open
from server.core.strictjson import strict_loads
from server.core.text import normalize_name, printable, squeeze_spaces
from server.measurements.documents import summary_of, timings_count
from server.submissions.file_import import files_digest, offer_make, offer_read
from server.submissions.validation import command_validator, document_validate, schema_check
from server.web.views.file_import import _FACTS
from tests.fuzz.mutations import fuzzed, mutated, tree_mutated
from tests.support.documents import document, zoned_part
from tools.embedded.binaries import PROJECT

INPUTS = int(os.environ.get("FUZZ_INPUTS", "1000"))
MOST_ITEMS = 5
NOW = datetime(2030, 1, 1, tzinfo=UTC)


def fuzz(name: str, check: Any) -> None:
    calls = fuzzed(INPUTS, check)
    print(f"{name}: {calls} inputs")
    assert calls >= INPUTS


def files(folder: str) -> list[bytes]:
    """Return the corpus of a parser, in the order of its files' names."""
    return [path.read_bytes() for path in sorted((PROJECT / "tests/data/fuzz" / folder).iterdir())]


def check_document(found: Any) -> None:
    """Hold a document against schemas and rules; raises Problem."""
    document_validate(found, now=NOW, tolerance=timedelta(hours=1))


def short(found: Any) -> Any:
    """Return a document with short columns, which costs less to check."""
    if isinstance(found, dict):
        return {name: short(value) for name, value in found.items()}
    return [short(value) for value in found[:MOST_ITEMS]] if isinstance(found, list) else found


def documents() -> list[Any]:
    """Return a right document of every kind, with short columns where it is right without the others."""
    paths = sorted(PROJECT.glob("server/benchmarks/*/golden/run.json"))
    found = []
    for whole in [*(json.loads(path.read_bytes()) for path in paths), document(zoned_part(regions=8))]:
        whole["license"] = "CC0-1.0"
        try:
            check_document(short(whole))
        except Problem:
            check_document(whole)
            found.append(whole)
        else:
            found.append(short(whole))
    return found


def vouched(content: bytes) -> bytes | None:
    """Return the type and the payload that an envelope's signature vouches for."""
    for kind in (PAYLOAD_TYPE, COMMAND_TYPE):
        with suppress(Problem):
            envelope: Envelope = envelope_parse(strict_loads(content), kind)
            if envelope.public_key is not None:
                signature_check(envelope, envelope.public_key)
                return kind.encode() + envelope.payload
    return None


def test_an_envelope_vouches_for_what_its_key_signed_and_nothing_else() -> None:
    corpus = files("envelope")
    signed = {vouched(content) for content in corpus}
    assert len(signed) == 4 and None in signed
    fuzz("envelope", lambda draw: _assert_in(vouched(mutated(corpus, draw)), signed))


def _assert_in(found: bytes | None, signed: set[bytes | None]) -> None:
    assert found in signed


@pytest.mark.parametrize("action", ["runs", "withdraw", "login", "rotate"])
def test_a_command_is_right_or_refused(action: str) -> None:
    corpus = [
        b'{"schema":"command/v1","action":"runs","archive":"https://a.example","nonce":"0123456789abcdef"}',
        b'{"schema":"command/v1","action":"withdraw","archive":"https://a.example","nonce":"0123456789abcdef",'
        b'"run_id":"01890a5d-ac96-774b-bcce-b302099a8057","reason":"sample"}',
    ]

    def check(draw: bytes) -> None:
        with suppress(Problem):
            found = strict_loads(mutated(corpus, draw), max_depth=6)
            schema_check(command_validator(action), found, prefix="", what="command", remedy="")

    fuzz(f"command {action}", check)


def test_a_compressed_body_is_read_within_its_limits_or_refused() -> None:
    plain = files("envelope")[0] * 20
    corpus = [zstandard.compress(plain), gzip.compress(plain, mtime=0), zstandard.compress(b"[" * 9000)]
    limits = BodyLimits(wire_bytes=5000, content_bytes=8000, remedy="")

    def check(draw: bytes) -> None:
        content = mutated(corpus, draw)
        for encoding in ("zstd", "gzip", "identity"):
            with suppress(Problem):
                assert len(body_read(_request(content, encoding), limits)) <= limits.content_bytes

    fuzz("body", check)


def _request(content: bytes, encoding: str) -> Any:
    left = [content]
    return SimpleNamespace(
        content_type="application/json",
        headers={"Content-Encoding": encoding},
        META={"CONTENT_LENGTH": str(len(content))},
        _request=SimpleNamespace(read=lambda _size: left.pop() if left else b""),
    )


def test_a_document_is_right_or_refused_with_the_place_that_is_wrong() -> None:
    corpus = [json.dumps(found).encode() for found in documents()]
    taken = 0

    def check(draw: bytes) -> None:
        nonlocal taken
        text = json.dumps(tree_mutated(corpus, draw)).encode()
        try:
            found = strict_loads(text, max_depth=32)
            check_document(found)
        except Problem as trouble:
            assert trouble.detail and trouble.type.status < 500
            return
        taken += 1
        # What intake writes of it, as one text that the database reads.
        kept = [timings_count(part["samples"]) for part in found["benchmarks"] if "skipped" not in part]
        orjson.dumps([summary_of(found), kept])
        assert strict_loads(text) == orjson.loads(text)

    fuzz("document", check)
    print(f"document: {taken} were right")
    assert taken > INPUTS // 100


def test_a_document_cut_and_spliced_is_json_or_refused() -> None:
    corpus = [json.dumps(found).encode() for found in documents()]

    def check(draw: bytes) -> None:
        with suppress(Problem):
            found = strict_loads(mutated(corpus, draw))
            check_document(found)

    fuzz("document's bytes", check)


def test_what_the_page_for_importing_carried_comes_back_unchanged_or_not_at_all() -> None:
    imported = next(found for found in documents() if found["provenance"] == "probe")
    imported |= {"provenance": "imported", "license": None}
    imported["imported"] = {
        **{"tool": "zcav", "tool_version": None, "measured_at": None, "source": None, "remarks": []},
        "files": [{"sha256": "ab" * 32, "size_bytes": 100, "format": "zcav-text"}],
        "in_browser": True,
    }
    offers = [offer_make(imported), signing.dumps({"a": 1}, salt="another")]
    corpus = [offer.encode() for offer in offers]

    def check(draw: bytes) -> None:
        found = offer_read(mutated(corpus, draw).decode(errors="replace"))
        assert found is None or files_digest(found) == files_digest(imported)
        words = mutated([b"1000204886016", b"yes", b"4,096"], draw).decode(errors="replace")
        for read in _FACTS.values():
            with suppress(ValueError):
                assert isinstance(read(words), str | int)

    fuzz("import", check)


def test_a_drive_may_call_itself_anything() -> None:
    table = PROJECT / "server/catalog/data/identities.csv"
    corpus = [row["model_string"].encode() for row in csv.DictReader(table.read_text().splitlines())]
    corpus += [
        b"ATA     WDC WD10EZEX-08WN4A0",
        b"SEAGATE ST3600057SS",
        "Virtuelle Festplatte \u202e".encode(),
        b"WD-",  # Once read as nothing.
        "\u00df WD \u00df-\u1e9e".encode(),
    ]

    def check(draw: bytes) -> None:
        text = mutated(corpus, draw).decode(errors="replace")
        vendor, model = squeeze_spaces(text[: draw[0] % 9]), squeeze_spaces(text[draw[0] % 9 :])
        name = drive_name(vendor, model)
        assert printable(name.model) == name.model
        assert bool(name.model) >= bool(model)
        search_text_of(name.vendor, name.model, name.variant, [normalize_name(text)])

    fuzz("device", check)


def test_what_another_log_says_is_a_head_or_refused() -> None:
    root = "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I="
    head = f"archive.example/log\n7\n{root}\n\n\u2014 archive.example/log AA==\n"
    key = "archive.example/log+7b8f1e5a+AaKn5Q=="
    corpus = [head.encode(), key.encode()]

    def check(draw: bytes) -> None:
        text = mutated(corpus, draw).decode(errors="replace")
        for read in (verifier_key_open, lambda line: checkpoint_open(line, key), _cosigned):
            with suppress(NoteError):
                read(text)

    fuzz("head", check)


def _cosigned(text: str) -> int:
    return cosignature_open(text, text.partition("\n")[0])
