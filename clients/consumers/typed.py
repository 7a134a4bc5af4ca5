# Uses the types of the package. mypy must accept it, and find the mistakes at its end.
import os
from typing import List, Optional
from payment_intents_mru import Payments, verify_webhook
from payment_intents_mru.types import Intent, Refund

payments = Payments(key=os.environ["KEY"], base_url=os.environ["BASE"])
paid: List[Intent] = list(payments.list_all("list_intents", status="PAID"))
refund: Refund = payments.refund_intent("PI-1", amount=20000)["refund"]
reason: Optional[str] = refund["reason"]
webhook = verify_webhook(b"{}", {"a": "b"}, ["secret"])
if webhook.event["event"] == "payment.failed":
    print(webhook.event["data"]["failure"]["code"])
with payments.export_payments(from_="2026-11-01") as file:
    data: bytes = file.read()
for event in payments.follow_events(type="payment.created", after="latest"):
    print(event["id"])
payments.create_intent(amuont=500)  # type: ignore[call-arg]
payments.create_intent(amount="500")  # type: ignore[arg-type]
payments.refund_intent(amount=500)  # type: ignore[call-arg]
payments.list_intents(status="PAYED")  # type: ignore[arg-type]
payments.list_all("create_intent")  # type: ignore[call-overload]
payments.get_intent("PI-1")["reference_number"]  # type: ignore[typeddict-item]
