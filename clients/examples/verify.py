import base64
import hashlib
import hmac
import json
import re

# headers: any mapping with items(). raw_body: bytes. now: time.time()
# Returns the event's id, or None if the webhook is not genuine.
def verify(secret, headers, raw_body, now):
    headers = {name.lower(): value for name, value in headers.items()}
    timestamp = headers.get("x-service-timestamp", "")
    if not secret or not re.fullmatch("[0-9]{1,12}", timestamp) or abs(now - int(timestamp)) > 300:
        return None
    signed = timestamp.encode() + b"." + raw_body
    expected = "sha256=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    given = [headers.get("x-service-signature", ""), headers.get("x-service-signature-previous", "")]
    genuine = any(hmac.compare_digest(one.strip().encode(), expected.encode()) for one in ",".join(given).split(","))
    return event_id_of(raw_body) if genuine else None


# A delivery's "id" is signed, and begins with the event's id in base64url. `listen` sends the event's id itself.
def event_id_of(raw_body):
    try:
        event_id = str(json.loads(raw_body)["id"])
    except (ValueError, TypeError, KeyError):
        return None
    if re.fullmatch("[A-Za-z0-9_-]{32}", event_id):
        event_id = base64.urlsafe_b64decode(event_id[:16]).hex()
    return event_id if re.fullmatch("[0-9a-f]{24}", event_id) else None
