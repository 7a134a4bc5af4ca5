import sqlite3

# Stores an event. Returns False if it was stored before.
def store(event_id, body):
    with sqlite3.connect("inbox.db") as db:
        db.execute("CREATE TABLE IF NOT EXISTS inbox (id TEXT PRIMARY KEY, body TEXT NOT NULL)")
        row = (event_id, body)
        return db.execute("INSERT INTO inbox VALUES (?, ?) ON CONFLICT DO NOTHING", row).rowcount == 1
