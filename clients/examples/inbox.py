import re
import sqlite3
from contextlib import closing


# Stores an event under the id that `verify_webhook` or the feed returned. Returns False if it was stored before.
def store(event_id: str, body: str) -> bool:
    if not re.fullmatch("[0-9a-f]{24}", event_id or ""):
        raise ValueError("This is not the id of an event.")
    # `with db` commits, and only `closing` closes.
    with closing(sqlite3.connect("inbox.db")) as db, db:
        db.execute("CREATE TABLE IF NOT EXISTS inbox (id TEXT PRIMARY KEY, body TEXT NOT NULL)")
        row = (event_id, body)
        return db.execute("INSERT INTO inbox VALUES (?, ?) ON CONFLICT DO NOTHING", row).rowcount == 1
