#!/usr/bin/env bash
# Writes one comment for each policy on the pull request, and writes over it the next time. A comment is found by its second line.
set -euo pipefail

for file in "$REPORT"/*.md; do
  [ -s "$file" ] || continue
  marker=$(sed -n 2p "$file")
  case "$marker" in
    '<!-- ipo-whatif:'*' -->') ;;
    *)
      echo "::warning::$file has no marker in its second line, so it is not commented"
      continue
      ;;
  esac
  comments="repos/$GITHUB_REPOSITORY/issues/$NUMBER/comments"
  # The marker is data for jq, never a part of the filter.
  id=$(gh api "$comments" --paginate | MARKER="$marker" jq -r '.[] | select(.body | contains(env.MARKER)) | .id' | head -n 1)
  if [ -n "$id" ]; then
    gh api --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" -F "body=@$file" >/dev/null
  else
    gh api --method POST "$comments" -F "body=@$file" >/dev/null
  fi
done
