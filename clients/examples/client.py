import http.client
import json
import os
import time
import urllib.error
import urllib.request
import uuid


class ApiError(Exception):
    def __init__(self, error, retry_after):
        super().__init__(f"{error['code']}: {error['message']} (request {error['requestId']})")
        self.status, self.code, self.retry_after = error["statusCode"], error["code"], retry_after


# Calls the API with the key in KEY, at the address in BASE. After a lost connection, 429 or a failure of the service,
# repeats the request with the same idempotency key.
def call(method, path, body=None, idempotency_key=None):
    idempotency_key = idempotency_key or str(uuid.uuid4())
    # Throws for NaN and for text that is not Unicode.
    data = None if body is None else json.dumps(body, allow_nan=False, ensure_ascii=False).encode()
    refuse_lost(body)
    for attempt in range(1, 6):
        wait = attempt
        try:
            return send(method, path, data, idempotency_key)
        except ApiError as error:
            temporary = error.status == 429 or error.status >= 500 or error.code == "IDEMPOTENCY_REQUEST_IN_PROGRESS"
            if attempt == 5 or not temporary or error.retry_after > 60:
                raise
            wait = error.retry_after or attempt
        except (OSError, ValueError, http.client.HTTPException):  # no response
            if attempt == 5:
                raise
        time.sleep(wait)


# json.dumps omits or replaces some values. A refund without its amount would be a full refund, so this raises an error.
def refuse_lost(value):
    fields = value if type(value) is dict else {}
    is_known = value is None or type(value) in (dict, list, str, int, float, bool)
    if not is_known or any(type(name) is not str for name in fields):
        raise TypeError(f"The body has a {type(value).__name__} that cannot be sent as JSON. Keys must be exactly str.")
    for each in value if type(value) is list else fields.values():
        refuse_lost(each)


def send(method, path, data, idempotency_key):
    headers = {"Authorization": "Bearer " + os.environ["KEY"], "Content-Type": "application/json"}
    if method != "GET":
        headers["X-Idempotency-Key"] = idempotency_key
    request = urllib.request.Request(os.environ["BASE"] + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=40) as response:
            return json.load(response)["data"]
    except urllib.error.HTTPError as refused:
        raise ApiError(json.load(refused)["error"], int(refused.headers.get("Retry-After", 0)))
