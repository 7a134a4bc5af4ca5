# pay.py
from client import call

intent = call("POST", "/dev/intents", {"amount": 50000, "label": "Order 1042"})
print("The customer pays at", intent["payUrl"])

intent = call("POST", f"/dev/intents/{intent['referenceNumber']}/simulate-payment")
print(intent["status"], intent["payment"]["amountPaid"])
