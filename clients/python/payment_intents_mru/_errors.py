from __future__ import annotations

from typing import Any, Optional


class PaymentsError(Exception):
    """The error that every operation raises.

    Read `code` in your program, because the message may change. The codes are the service's, plus five of the client:
    with CONNECTION_FAILED and TIMEOUT, no complete response arrived. REDIRECTED and INVALID_RESPONSE come from
    something between you and the service, such as a proxy. With IDEMPOTENCY_PARAMS_MISMATCH, the key was used before
    with another request, and nothing was done now.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status_code: Optional[int] = None,
        request_id: Optional[str] = None,
        param: Optional[str] = None,
        details: Any = None,
        retry_after: Optional[int] = None,
        response: Any = None,
    ) -> None:
        end = f" (request {request_id})" if request_id else ""
        super().__init__(f"{code}: {message}{end}")
        self.code = code
        self.message = message
        #: The HTTP status. None if there was no response.
        self.status_code = status_code
        #: Identifies the request. Include it when you contact support.
        self.request_id = request_id
        #: The first field that is not valid, such as `variants[1].price`.
        self.param = param
        #: For invalid fields, a list of all of them. Otherwise a dict whose fields depend on the code.
        self.details = details
        #: The seconds after which the service accepts the request again, if it said so.
        self.retry_after = retry_after
        #: With IDEMPOTENCY_PARAMS_MISMATCH, the stored response to the other request.
        self.response = response


class WebhookVerificationError(ValueError):
    """The webhook is not genuine. Respond with 401, and do not use the body.

    `code` is INVALID_TIMESTAMP, TIMESTAMP_OUT_OF_TOLERANCE, SIGNATURE_MISMATCH or INVALID_JSON.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
