import { canonicalJson } from '../base/index.ts';
import { entriesOf } from './entries.ts';
import type { PolicySpec } from './schema.ts';

/** PolicyChange is one field that differs between two policies, defaults filled in on both sides. */
export interface PolicyChange {
  /** `spec.severityThreshold`; for a list the path of the list. */
  readonly path: string;
  /** The values as JSON; undefined stands for not set. */
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * diffPolicies gives the fields in which two specs differ in meaning, in the order of the schema. Lists are told
 * whole and compared as sets; spelling (defaults written out, `168h0m0s`, another order, the wrapping of a PEM)
 * makes no difference.
 */
export function diffPolicies(before: PolicySpec, after: PolicySpec): PolicyChange[] {
  return compare('spec', before, after);
}

function compare(path: string, before: unknown, after: unknown): PolicyChange[] {
  if (Array.isArray(before) && Array.isArray(after)) {
    return sameEntries(path, before, after) ? [] : [{ path, before, after }];
  }
  // The windows are the one mapping that may be missing: each of them is a field that is set or not.
  if (isMap(before ?? {}) && isMap(after ?? {}) && (isMap(before) || isMap(after))) {
    const [left, right] = [(before ?? {}) as Json, (after ?? {}) as Json];
    const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
    return [...keys].flatMap((key) => compare(`${path}.${key}`, left[key], right[key]));
  }
  return same(before, after) ? [] : [{ path, before, after }];
}

type Json = Readonly<Record<string, unknown>>;

function sameEntries(path: string, before: readonly unknown[], after: readonly unknown[]): boolean {
  const [left, right] = [entriesOf(path, before), entriesOf(path, after)];
  return left.size === right.size && [...left.keys()].every((key) => right.has(key));
}

function same(before: unknown, after: unknown): boolean {
  if (before === undefined || after === undefined) return before === after;
  return canonicalJson(before) === canonicalJson(after);
}

function isMap(value: unknown): value is Json {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
