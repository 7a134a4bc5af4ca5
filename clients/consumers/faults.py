# Prints what each fault of the server leads to, and refuses keys and ids that are wrong.
import os, sys
from payment_intents_mru import Payments, PaymentsError, WebhookVerificationError, sign_webhook, verify_webhook


def run(name):
    once = {"timeout": 0.5, "max_retries": 0} if name.startswith("slow") else {}
    payments = Payments(key="sk_test_x", base_url=os.environ["BASE"] + "/" + name + "/api/v1/", **once)
    if "file" in name or "chunks" in name:
        with payments.export_payments(from_="2026-01-01", max_retries=0) as file:
            return file.read().decode()
    return payments.create_intent(amount=500, metadata={})["referenceNumber"]


for name in sys.stdin.read().split():
    try:
        print(run(name))
    except PaymentsError as error:
        print(error.code, error.status_code, error.retry_after)
        assert name[:8] != "redirect" or os.environ["ELSEWHERE"] in str(error), error
        assert name != "mismatch" or error.response["data"]["referenceNumber"] == "PI-1"
quiet = Payments(key="sk_test_x", base_url=os.environ["BASE"])
assert "sk_test_x" not in repr(quiet) + repr(vars(quiet))
for key, base_url in [
    ("sk_test_secret\n", "https://a.example"),
    ("sk_test_secret", "a.example"),
    ("", "https://a.example"),
]:
    try:
        Payments(key=key, base_url=base_url)
        print("accepted", key, base_url)
    except ValueError as error:
        assert "secret" not in str(error)
for call in [
    lambda: quiet.get_intent(".."),
    lambda: quiet.cancel_intent("PI-1", idempotency_key="a\r\nb"),
    lambda: quiet.list_all("get_balance"),
]:
    try:
        print(call())
    except ValueError:
        pass
body = '{"id": "6b0149aca90c38bde3c47f62"}'
headers = sign_webhook(body, "ab")
environ = {"HTTP_" + name.upper().replace("-", "_"): value for name, value in headers.items()}
asgi = {name.lower().encode(): value.encode() for name, value in headers.items()}
for names in [headers, environ, asgi]:
    assert verify_webhook(body, names, ["cd", "ab"]).event_id == "6b0149aca90c38bde3c47f62"
for wrong, word in [
    ((body, headers, None), "secret"),
    ((body, headers, b"ab"), "secret"),
    ((body, headers, ["ab", None]), "secret"),
    (({"id": 1}, headers, "ab"), "raw body"),
    ((body, list(headers), "ab"), "headers"),
]:
    try:
        print("accepted", verify_webhook(*wrong))
    except TypeError as error:
        assert word in str(error), error
try:
    print(verify_webhook(body, headers, "whsec_abc"))
except WebhookVerificationError as error:
    assert str(error).startswith("SIGNATURE_MISMATCH: ") and "whsec_" in str(error)
