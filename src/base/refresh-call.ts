/** refreshCall is the line of a shell that has catalogues and databases fetched now. No command does it. */
export function refreshCall(query = ''): string {
  return `curl -X POST -H "Authorization: Bearer $IPO_TOKEN" "$IPO_SERVER/api/v1/catalogues/refresh${query}"`;
}
