# shop.py
import json
import os
from payment_intents_mru import Payments, PaymentsError, sign_webhook, verify_webhook

payments = Payments(key=os.environ["KEY"], base_url=os.environ["BASE"])

# Each operation is a method, with snake_case names. Ids come first, and all else has a name.
intent = payments.create_intent(amount=50000, label="Order 1042")
payments.simulate_payment(intent["referenceNumber"])

for each in payments.list_all("list_intents", paid_from="2026-01-01"):
    if payment := each["payment"]:
        print("Paid:", payment["amountPaid"])

events = payments.follow_events(type="payment.confirmed")
for event in events:
    print("Event:", event["type"])
    body, secret = json.dumps(event["body"]), os.environ.get("WEBHOOK_SECRET", "test")
    event_id, verified = verify_webhook(body, sign_webhook(body, secret), secret)
    print("Verified:", str(event_id == event["id"]).lower())
    break

try:
    payments.cancel_intent(intent["referenceNumber"])
except PaymentsError as error:
    print("Refused:", error.code)
