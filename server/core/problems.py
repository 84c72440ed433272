"""Problem details (RFC 9457): the one shape in which the archive says what is wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

MEDIA_TYPE = "application/problem+json"


@dataclass(frozen=True, slots=True)
class ProblemType:
    """A kind of problem. `slug` is part of its published address `/problems/<slug>/`."""

    slug: str
    title: str
    status: int
    about: str
    """What it means and what to do, for the page at its address."""


@dataclass(frozen=True, slots=True)
class ErrorItem:
    """One place in the input that is wrong."""

    path: str
    """JSON Pointer (RFC 6901) into the document, `?name` for a parameter; empty for the whole."""
    message: str


@dataclass(eq=False)
class Problem(Exception):
    """Raised anywhere below a view; the API's one handler turns it into a response."""

    type: ProblemType
    detail: str
    """Fact, limit, remedy."""
    errors: tuple[ErrorItem, ...] = ()
    extensions: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.detail

    def with_header(self, name: str, value: str) -> Problem:
        """Return the problem, whose answer carries the header."""
        self.headers[name] = value
        return self

    def body(self, *, base_url: str = "") -> dict[str, Any]:
        """Return the JSON body; `base_url` makes `type` absolute where it is known."""
        return {
            "type": f"{base_url}/problems/{self.type.slug}/",
            "title": self.type.title,
            "status": self.type.status,
            "detail": self.detail,
            "errors": [{"path": item.path, "message": item.message} for item in self.errors],
            **self.extensions,
        }


def _types(*types: ProblemType) -> dict[str, ProblemType]:
    return {entry.slug: entry for entry in types}


PROBLEM_TYPES = _types(
    ProblemType("bad-request", "Bad request", 400, "The request itself is malformed. Its detail says where."),
    ProblemType(
        "bad-parameter",
        "A parameter is not understood",
        400,
        "The detail names it, and the parameters that are known at the address.",
    ),
    ProblemType(
        "unknown-name",
        "A name is not known",
        422,
        "A filter names a metric, kind or scope that does not exist, so that no row could pass it: the "
        "detail has the nearest name. An empty list would look like an answer.",
    ),
    ProblemType(
        "bad-token",
        "The API token is not valid",
        401,
        "Reading needs no token. Accounts make theirs at /accounts/tokens/.",
    ),
    ProblemType(
        "scope-missing",
        "The API token may not do this",
        403,
        "A token reads, submits or manages, as it was made for. Make another one at /accounts/tokens/.",
    ),
    ProblemType(
        "token-needed",
        "An API token is needed",
        401,
        "The address belongs to an account. Reading the archive needs no token.",
    ),
    ProblemType(
        "bad-target",
        "No message can go there",
        422,
        "A webhook is an https: address on the public internet, without a name or password in it.",
    ),
    ProblemType(
        "too-many-follows",
        "Too many webhooks",
        409,
        "Delete one that is not needed, or filter at the receiver.",
    ),
    ProblemType("malformed-json", "Not valid JSON", 400, "Send the file exactly as the probe wrote it."),
    ProblemType(
        "not-an-envelope",
        "Not an envelope",
        400,
        "Send a signed envelope: what `diskatlas run -o FILE` writes.",
    ),
    ProblemType(
        "bad-base64",
        "Bad base64",
        400,
        "The payload and the signature use the standard alphabet with padding.",
    ),
    ProblemType(
        "bad-encoding",
        "Content cannot be decompressed",
        400,
        "Compress with one zstd frame or one gzip member.",
    ),
    ProblemType(
        "unknown-payload-type", "Unknown payload type", 415, "This archive reads run documents only."
    ),
    ProblemType(
        "unknown-key-algorithm", "Unknown key algorithm", 422, "This archive knows ed25519 keys only."
    ),
    ProblemType("unknown-key", "Unknown key", 422, "Send the public key along, as the probe does."),
    ProblemType("revoked-key", "Revoked key", 403, "Make a new key and measure again."),
    ProblemType(
        "other-archive",
        "Signed for another archive",
        422,
        "A signed command names the archive that it is for, so that no other one can use it.",
    ),
    ProblemType(
        "bad-nonce",
        "The nonce does not count",
        409,
        "Each nonce of GET /api/v1/challenges/ is good for one signed command within ten minutes.",
    ),
    ProblemType(
        "not-wider", "Not a wider licence", 409, "What was given away stays so: CC-BY-4.0 may become CC0-1.0."
    ),
    ProblemType(
        "wrong-state",
        "Nothing to do at this stage",
        409,
        "The detail names the state. A rejected or withdrawn run is shown to nobody.",
    ),
    ProblemType("key-known", "The new key is known", 409, "A key follows another one before its first use."),
    ProblemType("bad-date", "Not such a date", 422, "Give a day that has passed, or none for now."),
    ProblemType(
        "bad-signature",
        "Wrong signature",
        422,
        "The bytes are not those that were signed. Send the original file.",
    ),
    ProblemType(
        "schema-violation",
        "The document breaks its schema",
        422,
        "`diskatlas verify FILE` says the same offline.",
    ),
    ProblemType(
        "no-licence",
        "No licence is given",
        422,
        "Choose one: `diskatlas submit FILE --server URL --license CC0-1.0` (or CC-BY-4.0).",
    ),
    ProblemType("unknown-kind", "Unknown benchmark kind", 422, "The archive may be older than the probe."),
    ProblemType(
        "implausible-document", "The document contradicts itself", 422, "Each error says what and where."
    ),
    ProblemType("future-date", "Dated in the future", 422, "Set the machine's clock and measure again."),
    ProblemType(
        "run-id-taken",
        "Another run has this identity",
        409,
        "A run is immutable: a new measurement is a new run.",
    ),
    ProblemType(
        "rejected",
        "Rejected by a person",
        409,
        "What a moderator decided about a run stays. A new measurement is a new run.",
    ),
    ProblemType("not-found", "Not found", 404, "Nothing is at this address."),
    ProblemType(
        "takes-too-long",
        "The rows take too long to find",
        422,
        "A filter that few rows pass makes the archive go through all of them. Narrow the list by a filter "
        "that has an index, which the detail names, or take it as NDJSON, which may take longer.",
    ),
    ProblemType("withdrawn", "Withdrawn", 410, "The run was withdrawn. Its tombstone says when and why."),
    ProblemType("bad-proof", "The proof does not hold", 422, "Send the proof from the head cosigned last."),
    ProblemType("forbidden", "Forbidden", 403, "This address is not open to you."),
    ProblemType(
        "method-not-allowed",
        "Method not allowed",
        405,
        "The Allow header lists what the address understands.",
    ),
    ProblemType("length-required", "Length required", 411, "Send a Content-Length header."),
    ProblemType("too-large", "Too large", 413, "Measure fewer kinds per run, or compress the upload."),
    ProblemType("uri-too-long", "The address is too long", 414, "Ask for fewer names at a time."),
    ProblemType("range-not-satisfiable", "No such range", 416, "Ask for bytes that the file has."),
    ProblemType("unsupported-media-type", "Unsupported media type", 415, "Send application/json."),
    ProblemType(
        "unsupported-encoding", "Unsupported content encoding", 415, "Send zstd, gzip or no encoding."
    ),
    ProblemType(
        "too-many-requests", "Too many requests", 429, "Wait for as long as Retry-After says; keep the file."
    ),
    ProblemType(
        "server-error",
        "The archive failed",
        500,
        "Nothing was accepted. Keep the file and send it again later.",
    ),
    ProblemType(
        "unavailable",
        "Not available just now",
        503,
        "Nothing was accepted. Keep the file and send it again, or ask again, after as many seconds as "
        "Retry-After says. An answer that takes the database too long says so in its detail: ask for less.",
    ),
    ProblemType(
        "overloaded",
        "Too much waits already",
        503,
        "Nothing was accepted: more submissions wait than the archive can get through soon. Keep the file "
        "and send it again after the time in Retry-After, as the probe does by itself.",
    ),
    ProblemType("storage-unavailable", "Storage unavailable", 503, "Keep the file and send it again later."),
)


def problem(slug: str, detail: str, *errors: ErrorItem, **extensions: Any) -> Problem:
    """Return the problem of a listed type, ready to be raised."""
    return Problem(PROBLEM_TYPES[slug], detail, tuple(errors), extensions)
