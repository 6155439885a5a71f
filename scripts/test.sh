#!/usr/bin/env bash
# Installs what is missing, builds everything and runs all tests. The last line counts them, the exit code is 0 only if
# none failed.
#
#   scripts/test.sh [-D NAME=VALUE …]    options of the build, see docs/building.md
#   scripts/test.sh --nightly            and then what every change should pass within a day
#   scripts/test.sh --full               and then the long campaigns, too
#
# scripts/campaigns.sh has the last two in parts of at most 40 minutes and says what each found. A run leaves out the parts
# that have passed at this commit, so it may be stopped and started again.
set -euo pipefail
cd "$(dirname "$0")/.."

campaigns=""
case "${1-}" in
  --nightly | --full)
    campaigns=${1#--}
    shift
    ;;
esac

fail() {
  echo "test: $1 failed; its output is above" >&2
  exit 1
}

scripts/setup.sh || fail "installing what is missing"
cmake --preset cpu "$@" || fail "configuring"
cmake --build --preset cpu || fail "building"

results=$PWD/build/cpu/results.xml
rm -f "$results"
status=0
# One more than there are cores: some tests mostly wait for processes that they started.
ctest --preset cpu --parallel "$(($(nproc) + 1))" --output-on-failure --output-junit "$results" || status=$?
[ -f "$results" ] || fail "running ctest"

# The numbers that ctest notes of the whole run: tests="12" failures="1" disabled="0" skipped="2"
number() { grep -m1 -o "$1=\"[0-9]*\"" "$results" | tr -dc 0-9; }
failed=$(number failures)
skipped=$(($(number skipped) + $(number disabled)))
echo "$(($(number tests) - failed - skipped)) passed, $failed failed, $skipped skipped"
[ "$status" -eq 0 ] && [ "$failed" -eq 0 ] || exit 1
[ -z "$campaigns" ] || exec scripts/campaigns.sh "$campaigns"
