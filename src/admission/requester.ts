import { sha256Hex } from '../base/index.ts';

/** Names that are remembered: a cluster's controllers make nearly all pods. */
const MOST = 2000;
const known = new Map<string, string>();

/**
 * pseudonymOf gives the name under which a requester is recorded: "as the API server gave them when they start with `system:`,
 * and otherwise as `k8s-user:<first 16 hex characters of SHA-256 of the username>`". Null when the review names nobody.
 */
export function pseudonymOf(username: string): string | null {
  if (username === '') return null;
  if (username.startsWith('system:')) return username;
  let name = known.get(username);
  if (name === undefined) {
    if (known.size >= MOST) known.clear();
    known.set(username, (name = `k8s-user:${sha256Hex(username).slice(0, 16)}`));
  }
  return name;
}
