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
