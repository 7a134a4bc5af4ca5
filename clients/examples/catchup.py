# catchup.py
import json
import os
from typing import Any
from inbox import store
from payment_intents_mru import Payments

payments = Payments(key=os.environ["KEY"], base_url=os.environ["BASE"])
position: dict[str, Any] = {"after": open("next.txt").read()} if os.path.exists("next.txt") else {}
added, has_more = 0, True
while has_more:
    feed = payments.read_event_feed(limit=100, **position)
    added += sum(store(event["id"], json.dumps(event["body"])) for event in feed["items"])
    position, has_more = {"after": feed["next"]}, feed["hasMore"]
    with open("next.txt", "w") as file:  # only after the events are stored
        file.write(feed["next"])
print("New events:", added)
