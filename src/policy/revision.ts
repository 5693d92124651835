import { canonicalJson, sha256Hex } from '../base/index.ts';
import type { PolicySpec } from './schema.ts';

/**
 * revisionOf gives a policy's revision: the hex SHA-256 of its canonical JSON (RFC 8785) spec with defaults filled
 * in and durations in their shortest form, so that two spellings of one policy have one revision.
 */
export function revisionOf(spec: PolicySpec): string {
  return sha256Hex(canonicalJson(spec));
}
