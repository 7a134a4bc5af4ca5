from __future__ import annotations

import http.client
import io
import json
import math
import platform
import random
import re
import socket
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any, Callable, Dict, Mapping, Optional

from ._errors import PaymentsError
from ._generated import VERSION, Operation

# If the service requires a longer wait, for example because of a daily quota, the error is raised at once.
LONGEST_WAIT = 60
USER_AGENT = f"payment-intents-mru-python/{VERSION} python/{platform.python_version()}"


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Another server must get neither the key nor a POST that has become a GET."""

    def redirect_request(self, *_: Any) -> None:
        return None


def create_send(key: str, base_url: str, timeout: float, max_retries: float) -> Callable[..., Any]:
    """Returns the function that sends operations. The key stays inside it, so no attribute shows it."""
    # http.client would show a key with other characters in its error.
    if not isinstance(key, str) or not re.fullmatch("[\x21-\x7e]+", key):
        raise ValueError("key must be an API key, such as sk_test_…")
    if not isinstance(base_url, str) or not re.fullmatch(r"https?://[^\s/?#@]+(/[^\s?#]*)?", base_url):
        raise ValueError("base_url must be an absolute URL.")
    base = re.sub("/api/v1$", "", base_url.rstrip("/"))
    opener = urllib.request.build_opener(_NoRedirects)

    def send(
        operation: Operation,
        fields: Mapping[str, Any],
        *,
        idempotency_key: Optional[str] = None,
        attempt_timeout: Optional[float] = None,
        retries: Optional[float] = None,
        sleep: Callable[[float], object] = time.sleep,
    ) -> Any:
        url, data = address_of(operation, fields)
        headers = {"Accept": "application/json, */*;q=0.5", "Authorization": f"Bearer {key}", "User-Agent": USER_AGENT}
        if data is not None:
            headers["Content-Type"] = "application/json"
        if operation.method != "GET":
            headers["X-Idempotency-Key"] = str(uuid.uuid4()) if idempotency_key is None else idempotency_key
            if not re.fullmatch("[\x21-\x7e]+", str(headers["X-Idempotency-Key"])):
                raise ValueError("idempotency_key must consist of visible ASCII characters.")
        seconds = timeout if attempt_timeout is None else attempt_timeout
        most = max_retries if retries is None else retries
        count = 0
        while True:
            # A new one each time, because urllib changes it if there is a proxy.
            request = urllib.request.Request(f"{base}/api/v1{url}", data, headers, method=operation.method)
            try:
                return _attempt(opener, request, operation.is_file, seconds)
            except PaymentsError as error:
                delay = _delay_before_retry(error, count)
                if count >= most or delay is None:
                    raise
            count += 1
            sleep(delay)

    return send


def _delay_before_retry(error: PaymentsError, count: int) -> Optional[float]:
    """The seconds to wait, or None if a retry would not help. A random part keeps clients from retrying together."""
    status, wait = error.status_code or 0, error.retry_after or 0
    codes = ["CONNECTION_FAILED", "TIMEOUT", "IDEMPOTENCY_REQUEST_IN_PROGRESS"]
    if not (error.code in codes or status >= 500 or status in (408, 429)) or wait > LONGEST_WAIT:
        return None
    delay = min(math.ldexp(0.5, min(count, 10)), 8.0)
    return max(delay * random.uniform(0.5, 1), wait * random.uniform(1, 1.1))


def _attempt(
    opener: urllib.request.OpenerDirector, request: urllib.request.Request, is_file: bool, timeout: float
) -> Any:
    deadline = time.monotonic() + timeout
    try:
        try:
            response = opener.open(request, timeout=timeout)
        except urllib.error.HTTPError as refused:
            response = refused
        status, headers = response.status, response.headers
        is_json = headers.get_content_type() == "application/json"
        if is_file and 200 <= status < 300 and not is_json:
            return io.BufferedReader(Download(response))
        with response:
            text = _read(response, deadline)
    except (OSError, http.client.HTTPException) as error:
        raise _lost(error) from error
    return _data_of(status, headers, _parse(text) if is_json else None, is_json)


def _lost(error: Exception) -> PaymentsError:
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(cause, (socket.timeout, TimeoutError)):
        return PaymentsError("TIMEOUT", "There was no complete response in time.")
    return PaymentsError("CONNECTION_FAILED", f"The connection to the service failed: {cause!r}")


class Download(io.RawIOBase):
    """A file, which the caller reads. Raises if it ends early, which http.client does not notice by itself."""

    def __init__(self, response: Any) -> None:
        self._response = response

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            count = int(self._response.readinto(buffer))
            if count == 0 and self._response.length:
                raise http.client.IncompleteRead(b"", self._response.length)
            return count
        except (OSError, http.client.HTTPException) as error:
            raise _lost(error) from error

    def close(self) -> None:
        self._response.close()
        super().close()


def _read(response: Any, deadline: float) -> bytes:
    """The timeout of a socket is for each packet, so this adds the one for all of them."""
    given = response.headers.get("Content-Length", "")
    length = int(given) if given.isdecimal() else sys.maxsize
    body = b""
    # Without the length, Python before 3.13 would wait for more.
    while len(body) < length:
        part = response.read1(65536)
        if not part:
            break
        body += part
        if time.monotonic() > deadline:
            raise TimeoutError
    return body


def _parse(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _data_of(status: int, headers: Mapping[str, str], envelope: Any, is_json: bool) -> Any:
    succeeded = 200 <= status < 300
    if isinstance(envelope, dict) and headers.get("Idempotent-Params-Mismatch") == "true":
        raise PaymentsError(
            "IDEMPOTENCY_PARAMS_MISMATCH",
            "The idempotency key was used before with another request.",
            status_code=status,
            request_id=headers.get("X-Request-Id"),
            response=envelope,
        )
    if succeeded and isinstance(envelope, dict) and envelope.get("success") is True:
        return envelope.get("data")
    if succeeded and is_json and envelope is None:
        raise PaymentsError("CONNECTION_FAILED", "The response is not complete.", status_code=status)
    wait = headers.get("Retry-After", "")
    facts: Dict[str, Any] = {
        "status_code": status,
        "request_id": headers.get("X-Request-Id"),
        "retry_after": int(wait) if re.fullmatch("[0-9]{1,9}", wait) else None,
    }
    if 300 <= status < 400:
        target = urllib.parse.urlsplit(headers.get("Location", ""))
        origin = f"{target.scheme}://{target.netloc.rpartition('@')[2]}" if target.netloc else "the same server"
        raise PaymentsError("REDIRECTED", f"The response ({status}) redirects to {origin}. Correct base_url.", **facts)
    error = envelope.get("error") if isinstance(envelope, dict) else None
    if not isinstance(error, dict):
        message = f"The response has the status {status} and is not JSON of the service."
        raise PaymentsError("INVALID_RESPONSE", message, **facts)
    facts["request_id"] = error.get("requestId", facts["request_id"])
    facts.update(param=error.get("param"), details=error.get("details"))
    raise PaymentsError(str(error.get("code")), str(error.get("message")), **facts)


def address_of(operation: Operation, fields: Mapping[str, Any]) -> tuple[str, Optional[bytes]]:
    """Fills in the path, and divides the other fields into the query and the body."""
    rest = dict(fields)

    def fill(match: re.Match[str]) -> str:
        value = rest.pop(match[1])
        # Servers remove such a segment, so the request would go to another path.
        if not isinstance(value, str) or value in ("", ".", ".."):
            raise ValueError(f"{match[1]} must be an id, not {value!r}.")
        return urllib.parse.quote(value, safe="")

    path = re.sub(r"\{(\w+)\}", fill, operation.path)
    names = [name for name in rest if name in operation.query]
    query = urllib.parse.urlencode([(name, _in_query(name, rest.pop(name))) for name in names])
    url = f"{path}?{query}" if query else path
    if not operation.has_body:
        return url, None
    # Raises for NaN, for text that is not Unicode, and for a list that contains itself.
    data = json.dumps(rest, allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode()
    refuse_lost(rest)
    return url, data


def _in_query(name: str, value: object) -> str:
    if type(value) is bool:
        return str(value).lower()
    if type(value) not in (str, int):
        raise TypeError(f"{name} must be text, an integer or a bool, not {value!r}.")
    return str(value)


def refuse_lost(value: Any) -> None:
    """json.dumps omits or replaces some values. A refund without its amount would be a full refund, so this raises."""
    fields = value if type(value) is dict else {}
    is_known = value is None or type(value) in (dict, list, str, int, float, bool)
    if not is_known or any(type(name) is not str for name in fields):
        raise TypeError(f"A {type(value).__name__} cannot be sent as JSON. Keys must be exactly str.")
    for each in value if type(value) is list else fields.values():
        refuse_lost(each)
