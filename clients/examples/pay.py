# pay.py
import os
from payment_intents_mru import Payments

payments = Payments(key=os.environ["KEY"], base_url=os.environ["BASE"])
intent = payments.create_intent(amount=50000, label="Order 1042")
print("The customer pays at", intent["payUrl"])

paid = payments.simulate_payment(intent["referenceNumber"])
if payment := paid["payment"]:
    print(paid["status"], payment["amountPaid"])
