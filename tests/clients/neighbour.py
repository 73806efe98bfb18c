"""An application beside a worker: neighbour.py FILE JOBS. Each transaction writes a row of its own and
a job, with the time limit that Python's sqlite3 has by default. Any error ends it with a failure."""

import sqlite3
import sys
import time

file, jobs = sys.argv[1], int(sys.argv[2])
db = sqlite3.connect(file)
db.execute("pragma synchronous = full")
db.execute("create table if not exists visits (who text)")

for _ in range(jobs):
    with db:
        db.execute("insert into visits values ('python')")
        db.execute("insert into holdfast_jobs (kind) values ('plain')")
    time.sleep(0.002)
