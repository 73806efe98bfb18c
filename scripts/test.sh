#!/bin/sh
# Builds one CMake preset and runs all of its tests: scripts/test.sh <preset> [ctest options].
# The last line gives the totals; the exit code is that of the tests.
set -eu
cd "$(dirname "$0")/.."

preset=${1:-dev}
[ $# -gt 0 ] && shift

cmake --preset "$preset" --log-level=WARNING
cmake --build --preset "$preset" -j"$(nproc)"

results=build/$preset/test-results.xml
rm -f "$results"
code=0
ctest --preset "$preset" --output-junit test-results.xml --test-output-size-passed 0 \
  --progress "$@" || code=$?

# The totals come from the results that ctest wrote, so a run that broke off has none.
number() { sed -n "s/^[[:space:]]*$1=\"\([0-9]*\)\".*/\1/p" "$results" | head -n 1; }
if [ -f "$results" ]; then
  total=$(number tests)
  failed=$(number failures)
  skipped=$(($(number skipped) + $(number disabled)))
  echo "tests ($preset): $total run, $((total - failed - skipped)) passed," \
    "$failed failed, $skipped skipped"
else
  echo "tests ($preset): broke off before there were results"
  [ "$code" -ne 0 ] || code=1
fi
exit "$code"
