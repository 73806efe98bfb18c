#!/bin/sh
# Builds one CMake preset and runs all of its tests: scripts/test.sh <preset> [ctest options].
# The last line gives the totals; the exit code is that of the tests.
set -eu
cd "$(dirname "$0")/.."

preset=${1:-dev}
[ $# -eq 0 ] || shift

cmake --preset "$preset" --log-level=WARNING
cmake --build --preset "$preset" -j"$(nproc)"

results=build/$preset/test-results
rm -f "$results"/*.xml
code=0
ctest --preset "$preset" "$@" || code=$?

# Counted from what the test programs wrote. One that broke off wrote nothing and counts as a
# failure of its own.
sum() {
  sed -n 's/^<testsuites //p' "$results"/*.xml 2>/dev/null | tr ' ' '\n' |
    awk -F '"' -v name="$1=" '$1 == name { total += $2 } END { print total + 0 }'
}
total=$(sum tests)
failed=$(sum failures)
skipped=$(cat "$results"/*.xml 2>/dev/null | grep -c '<skipped' || true)
if [ "$code" -ne 0 ] && [ "$failed" -eq 0 ]; then
  echo "a test program ended without results"
  failed=1 total=$((total + 1))
fi
echo "tests: $((total - failed - skipped)) passed, $failed failed, $skipped skipped"
exit "$code"
