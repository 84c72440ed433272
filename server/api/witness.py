"""Where logs that this archive witnesses send their heads (C2SP tlog-witness)."""

from __future__ import annotations

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.views import APIView

from server.api.framework.limits import SubmissionThrottle
from server.api.framework.openapi import problems
from server.core.problems import problem
from server.transparency.witness import CheckpointRefused, OtherSize, checkpoint_add

MOST_BYTES = 32_768
"""63 hashes and a head with a hundred signatures take less."""
_PROBLEMS = {400: "bad-request", 403: "forbidden", 404: "not-found", 422: "bad-proof"}


class WitnessThrottle(SubmissionThrottle):
    """Counts heads by address: as many as uploads, apart from them."""

    policy = "witness"


class AddCheckpointView(APIView):
    """Where a head is cosigned."""

    throttle_classes = [WitnessThrottle]

    @extend_schema(
        operation_id="log_add_checkpoint",
        summary="Have the head of another log cosigned",
        description="C2SP tlog-witness: `old SIZE`, the proof of consistency, an empty line and the signed "
        "head. Only logs that this archive's operator named are cosigned. A 409 gives the size of the head "
        "cosigned last, as `text/x.tlog.size`.",
        request={"application/octet-stream": OpenApiTypes.BINARY},
        responses={
            (200, "text/plain"): OpenApiTypes.STR,
            (409, "text/x.tlog.size"): OpenApiTypes.STR,
            **problems(400, 403, 404, 413, 422, 429),
        },
    )
    def post(self, request: Request) -> HttpResponse:
        """Return the cosignature's line."""
        content = request._request.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise problem("too-large", f"The head has more than {MOST_BYTES} bytes with its proof.")
        try:
            line = checkpoint_add(content)
        except OtherSize as other:
            return HttpResponse(f"{other.size}\n", content_type="text/x.tlog.size", status=409)
        except CheckpointRefused as refused:
            raise problem(_PROBLEMS[refused.status], str(refused)) from refused
        return HttpResponse(line, content_type="text/plain; charset=utf-8")
