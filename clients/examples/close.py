# Compares the entries of a month with its statements, day by day, and keeps both in money.db.
import csv
import sqlite3

db = sqlite3.connect("money.db")
for table in ["entries", "statements"]:
    with open(table + ".csv", encoding="utf-8-sig", newline="") as file:
        header, *rows = csv.reader(file)
    db.execute(f"DROP TABLE IF EXISTS {table}")
    db.execute(f"CREATE TABLE {table} (" + ", ".join(f'"{name}"' for name in header) + ")")
    db.executemany(f"INSERT INTO {table} VALUES (" + ", ".join("?" for _ in header) + ")", rows)
db.commit()


def by_day(amount: str, source: str) -> dict[str, int]:
    return {day: int(sum) for day, sum in db.execute(f'SELECT "Statement day", {amount} FROM {source} GROUP BY 1')}


for name in ["Payments", "Refunds", "Fees", "Payouts"]:
    kind = name.lower().rstrip("s")
    sign = "" if kind == "payment" else "-"
    booked = by_day(f'{sign}sum("Amount (centimes)")', f"""entries WHERE "Type" = '{kind}'""")
    stated = by_day(f'"{name} (centimes)"', "statements")
    wrong = [day for day in stated.keys() | booked if stated.get(day, 0) != booked.get(day, 0)]
    print(name, sum(booked.values()), "DIFFERS FROM" if wrong else "=", sum(stated.values()), *sorted(wrong))
print("Closing", max(by_day('"Closing (centimes)"', "statements").items())[1])
