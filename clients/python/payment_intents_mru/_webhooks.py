from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Protocol, Sequence, Tuple, Union

from ._errors import WebhookVerificationError
from .types import WebhookEvent


class Headers(Protocol):
    """Whatever your web framework passes, a dict, or the `environ` of WSGI. Names may have any case."""

    def items(self) -> Iterable[Tuple[str, Any]]: ...


class VerifiedWebhook(NamedTuple):
    #: Store the event under this id: it is the same in every attempt, in a replay and in the event log.
    event_id: str
    event: WebhookEvent


def verify_webhook(
    body: Union[bytes, str],
    headers: Headers,
    secret: Union[str, Sequence[str]],
    *,
    tolerance_seconds: float = 300,
    now: Optional[float] = None,
) -> VerifiedWebhook:
    """Verifies that a webhook comes from the service. Raises WebhookVerificationError if it does not.

    `body` is the raw body, exactly as it arrived. `secret` is the endpoint's, or a list of which one must match.
    `now` (Unix seconds) replaces the clock in tests.
    """
    secrets = list(secret) if isinstance(secret, (list, tuple)) else [secret]
    for each in secrets:
        if not isinstance(each, str):
            raise TypeError(f"secret must be the endpoint's secret as str, not {type(each).__name__}.")
    if not secrets or "" in secrets:
        raise ValueError("secret must not be empty.")
    if not hasattr(headers, "items"):
        raise TypeError(f"headers must be a mapping, such as a dict, not {type(headers).__name__}.")
    raw = _raw(body)
    now = time.time() if now is None else now
    error = WebhookVerificationError("INVALID_TIMESTAMP", "No header X-…-Timestamp has a valid time.")
    for timestamp, signatures in _signed(headers):
        if not re.fullmatch("[0-9]{1,12}", timestamp):
            continue
        if abs(now - int(timestamp)) > tolerance_seconds:
            message = (
                f"The webhook was signed more than {tolerance_seconds:g} s before or after the time of this clock."
            )
            error = WebhookVerificationError("TIMESTAMP_OUT_OF_TOLERANCE", message)
            continue
        for each in secrets:
            expected = _signature(each, timestamp, raw).encode()
            if any(hmac.compare_digest(given.strip().encode(errors="replace"), expected) for given in signatures):
                return _verified(raw)
        message = "No signature matches. Use `secret` (not `standardSecret`, whsec_…), and pass the raw body as it arrived."
        error = WebhookVerificationError("SIGNATURE_MISMATCH", message)
    raise error


def sign_webhook(
    body: Union[bytes, str], secret: str, *, timestamp: Optional[int] = None, brand: str = "Webhook"
) -> Dict[str, str]:
    """Returns the headers of a genuine webhook with this body, for tests of your handler.

    `timestamp` is in Unix seconds. The headers are named after the `brand`, which `verify_webhook` does not look at.
    """
    raw = _raw(body)
    event = _parse(raw)
    time_text = str(int(time.time()) if timestamp is None else timestamp)
    delivery_id = str(event.get("id"))
    headers = {
        "Content-Type": "application/json",
        f"X-{brand}-Timestamp": time_text,
        f"X-{brand}-Signature": _signature(secret, time_text, raw),
        f"X-{brand}-Event": str(event.get("event")),
        f"X-{brand}-Event-Id": event_id_of(event),
        "webhook-id": delivery_id,
        "webhook-timestamp": time_text,
    }
    # Standard Webhooks signs with the bytes of the secret. A secret of the service is in hex.
    if re.fullmatch("([0-9a-f]{2})+", secret):
        signed = f"{delivery_id}.{time_text}.".encode() + raw
        digest = hmac.new(bytes.fromhex(secret), signed, hashlib.sha256).digest()
        headers["webhook-signature"] = "v1," + base64.b64encode(digest).decode()
    return headers


def event_id_of(event: Any) -> str:
    """Returns the id of the event, both from the body of a webhook and from the event log.

    A delivery's id is signed, and its first half is the event's id in base64url.
    """
    given = str(event["id"])
    if re.fullmatch("[A-Za-z0-9_-]{32}", given):
        return base64.urlsafe_b64decode(given[:16]).hex()
    return given


def _signed(headers: Headers) -> List[Tuple[str, List[str]]]:
    """The time and the signatures of each pair X-…-Timestamp and X-…-Signature. Usually there is one pair."""
    values: Dict[str, str] = {}
    for name, value in headers.items():
        # WSGI spells it HTTP_X_…, and ASGI passes bytes.
        name = re.sub("^http_", "", _text(name).lower()).replace("_", "-")
        values[name] = f"{values[name]},{_text(value)}" if name in values else _text(value)
    names = [name[:-10] for name in values if re.fullmatch("x-.+-timestamp", name)]
    return [
        (values[f"{name}-timestamp"], ",".join(values.get(name + end, "") for end in _ENDINGS).split(","))
        for name in names
    ]


_ENDINGS = ("-signature", "-signature-previous")


def _text(value: object) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _raw(body: object) -> bytes:
    if isinstance(body, (bytes, bytearray, memoryview)):
        return bytes(body)
    if isinstance(body, str):
        return body.encode()
    raise TypeError(f"body must be the raw body, bytes or str, not {type(body).__name__}. Do not parse it first.")


def _signature(secret: str, timestamp: str, raw: bytes) -> str:
    return "sha256=" + hmac.new(secret.encode(), f"{timestamp}.".encode() + raw, hashlib.sha256).hexdigest()


def _parse(raw: bytes) -> Dict[str, Any]:
    try:
        event = json.loads(raw)
    except ValueError:
        event = None
    if not isinstance(event, dict):
        raise WebhookVerificationError("INVALID_JSON", "The body is not an event in JSON.")
    return event


def _verified(raw: bytes) -> VerifiedWebhook:
    event: Any = _parse(raw)
    event_id = event_id_of(event) if "id" in event else ""
    if not re.fullmatch("[0-9a-f]{24}", event_id):
        raise WebhookVerificationError("INVALID_JSON", "The body is not an event: its `id` is not one of the service.")
    return VerifiedWebhook(event_id, event)
