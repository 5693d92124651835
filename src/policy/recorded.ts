import { MAX_DEPTH } from './document.ts';
import { parseField } from './field.ts';
import { withoutNulls } from './parse.ts';
import type { Policy } from './policy.ts';
import { policySpec } from './schema.ts';

/**
 * parseRecordedPolicy reads a policy document out of a ledger, where `name` and `revision` are taken as given. It may come from an earlier
 * release, so fields that are no longer known are left out instead of refused. Null when what remains is not a policy, and for a document
 * nested deeper than a policy file may be. It never throws.
 */
export function parseRecordedPolicy(document: unknown, name: string, revision: string): Policy | null {
  if (document === null || typeof document !== 'object') return null;
  const { spec } = document as { spec?: unknown };
  if (isDeeperThan(MAX_DEPTH, spec)) return null;
  const candidate = withoutNulls(spec);
  // An unknown field inside one that was left out shows in the next round only.
  for (let round = 0; round < 8; round += 1) {
    const result = parseField(policySpec, candidate);
    if (result.success) return { name, revision, spec: result.data };
    const unknown = result.error.issues.filter((issue) => issue.code === 'unrecognized_keys');
    if (unknown.length !== result.error.issues.length) return null;
    for (const issue of unknown) for (const key of issue.keys) leaveOut(candidate, [...issue.path, key]);
  }
  return null;
}

/** isDeeperThan measures level by level and not by recursion, which is what a deep value would break. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  let level = [value].filter(isNested);
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === levels) return true;
    level = level.flatMap((entry) => Object.values(entry).filter(isNested));
  }
  return false;
}

function isNested(value: unknown): value is object {
  return value !== null && typeof value === 'object';
}

function leaveOut(value: unknown, [step, ...rest]: readonly PropertyKey[]): void {
  if (value === null || typeof value !== 'object' || step === undefined) return;
  if (rest.length === 0) Reflect.deleteProperty(value, step);
  else leaveOut((value as Record<PropertyKey, unknown>)[step], rest);
}
