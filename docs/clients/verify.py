import hashlib
import hmac
import re

# headers: any mapping with items(). raw_body: bytes. now: time.time()
def verify(secret, headers, raw_body, now):
    headers = {name.lower(): value for name, value in headers.items()}
    timestamp = headers.get("x-service-timestamp", "")
    if not secret or not re.fullmatch("[0-9]{1,12}", timestamp) or abs(now - int(timestamp)) > 300:
        return False
    signed = timestamp.encode() + b"." + raw_body
    expected = "sha256=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    given = [headers.get("x-service-signature", ""), headers.get("x-service-signature-previous", "")]
    return any(hmac.compare_digest(one.strip().encode(), expected.encode()) for one in ",".join(given).split(","))
