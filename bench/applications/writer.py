"""An application beside a queue: writes once each 10 ms with Python's own sqlite3 and its default
timeout, until stdin ends. Then prints writes, errors, p50, p99 and max in ms: writer.py FILE."""

import sqlite3
import sys
import threading
import time

EVERY = 0.010

db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("pragma synchronous = full")
db.execute("create table if not exists orders (id integer primary key, state text not null)")
db.execute("insert or ignore into orders values (1, 'open')")

over = threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), over.set()), daemon=True).start()
print("ready", flush=True)

times, errors = [], 0
due = time.monotonic()
while not over.is_set():
    due += EVERY
    time.sleep(max(0, due - time.monotonic()))
    begin = time.monotonic()
    due = max(due, begin)
    try:
        db.execute("begin immediate")
        db.execute("update orders set state = 'paid' where id = 1")
        db.execute("insert into orders (state) values ('open')")
        db.execute("commit")
    except sqlite3.OperationalError:
        errors += 1
        if db.in_transaction:
            db.execute("rollback")
    times.append((time.monotonic() - begin) * 1000)

times.sort()
print(len(times), errors, times[len(times) // 2], times[len(times) * 99 // 100], times[-1])
