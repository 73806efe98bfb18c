"""Enqueues with Python's own sqlite3, as an application would: plain_insert.py FILE."""

import sqlite3
import sys

db = sqlite3.connect(sys.argv[1])
db.execute("pragma synchronous = full")
db.execute("create table orders (id integer primary key)")

INSERT = "insert into holdfast_jobs (queue, kind, payload) values (?, ?, ?)"

with db:
    db.execute("insert into orders values (1)")
    db.execute(INSERT, ("mail", "k", '{"from": "python"}'))

try:
    with db:
        db.execute("insert into orders values (2)")
        db.execute(INSERT, ("mail", "k", "rolled back"))
        raise RuntimeError("the application changed its mind")
except RuntimeError:
    pass

print(db.execute("select count(*) from orders").fetchone()[0])
