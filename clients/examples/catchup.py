# catchup.py
import json
import os
from client import call
from inbox import store

after, added, has_more = "", 0, True
if os.path.exists("next.txt"):
    after = open("next.txt").read()
while has_more:
    feed = call("GET", "/dev/events/feed?limit=100" + (after and "&after=" + after))
    added += sum(store(event["id"], json.dumps(event["body"])) for event in feed["items"])
    with open("next.txt", "w") as file:  # only after the events are stored
        file.write(feed["next"])
    after, has_more = feed["next"], feed["hasMore"]
print("New events:", added)
