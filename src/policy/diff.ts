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
 * diffPolicies gives the fields in which two specs differ in meaning, in the order of the schema. Lists are compared
 * whole; spelling (defaults written out, `168h0m0s`) makes no difference.
 */
export function diffPolicies(before: PolicySpec, after: PolicySpec): PolicyChange[] {
  return compare('spec', before, after);
}

function compare(path: string, before: unknown, after: unknown): PolicyChange[] {
  if (isMap(before) && isMap(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) => compare(`${path}.${key}`, before[key], after[key]));
  }
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, before, after }];
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
