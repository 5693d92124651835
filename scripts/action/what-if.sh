#!/usr/bin/env bash
# Replays each policy of POLICIES, and writes its reports, the annotations and the summary of the job. The exit code is told as an output,
# so that the comment is written also when a limit is exceeded.
set -uo pipefail

report="${RUNNER_TEMP:-/tmp}/ipo-what-if"
rm -rf "$report" && mkdir -p "$report" || exit 3

flags=(--days "$DAYS" --limit "$LIMIT")
if [ -n "$LEDGER" ]; then
  flags+=(--ledger "$LEDGER")
  # An address in the environment would not be used beside an export.
  unset IPO_SERVER IPO_TOKEN
elif [ -n "${IPO_SERVER:-}" ]; then
  flags+=(--server "$IPO_SERVER")
else
  echo "::error::give ledger (an export) or server"
  exit 2
fi
if [ "$STRICT" = true ]; then flags+=(--strict); fi
while IFS= read -r line; do
  line="${line#"${line%%[![:space:]]*}"}"
  line="${line%"${line##*[![:space:]]}"}"
  if [ -n "$line" ]; then flags+=(--fail-on "$line"); fi
done <<<"$FAIL_ON"

shopt -s nullglob globstar
# Words of POLICIES are patterns on purpose.
# shellcheck disable=SC2206
files=($POLICIES)
if [ "${#files[@]}" -eq 0 ]; then
  echo "::error::no policy file matches $POLICIES"
  exit 2
fi

worst=0
number=0
for file in "${files[@]}"; do
  number=$((number + 1))
  ipo whatif "$file" "${flags[@]}" -o github -o "markdown=$report/$number.md" -o "html=$report/$number.html"
  code=$?
  if [ "$code" -gt "$worst" ]; then worst=$code; fi
  if [ -s "$report/$number.md" ]; then cat "$report/$number.md" >>"$GITHUB_STEP_SUMMARY"; fi
done

{
  echo "exit-code=$worst"
  echo "report=$report"
} >>"$GITHUB_OUTPUT"
