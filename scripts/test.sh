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

# Counted from what the test programs wrote. One that broke off wrote nothing; ctest's exit code,
# which is ours, tells of that.
sum() { sed -n "s/^<testsuites .*[ ]$1=\"\([0-9]*\)\".*/\1/p" "$results"/*.xml 2>/dev/null |
  awk '{ total += $1 } END { print total + 0 }'; }
total=$(sum tests)
failed=$(sum failures)
skipped=$(cat "$results"/*.xml 2>/dev/null | grep -c '<skipped' || true)
echo "tests: $((total - failed - skipped)) passed, $failed failed, $skipped skipped"
exit "$code"
