import { SPEC_FIELDS, type PolicySpec } from './schema.ts';
import type { Direction } from './spec/strictness.ts';

export type { Direction } from './spec/strictness.ts';

type SpecJudge = (before: PolicySpec, after: PolicySpec) => Direction;

const JUDGES: ReadonlyMap<string, SpecJudge> = new Map(
  SPEC_FIELDS.flatMap(([name, { directions }]) =>
    Object.entries(directions).map(([below, judge]): [string, SpecJudge] => [
      `spec.${name}${below === '' ? '' : `.${below}`}`,
      (before, after) => judge(before[name], after[name]),
    ]),
  ),
);

/** JUDGED_PATHS are the fields that a change can be judged of; a test holds them against the schema. */
export const JUDGED_PATHS: readonly string[] = [...JUDGES.keys()];

/**
 * directionOf judges one changed field. A field that counts for nothing under the policy after the change (the
 * builders under `minLevel: 0`) goes in neither direction, and so does a list that gains here and loses there.
 */
export function directionOf(path: string, before: PolicySpec, after: PolicySpec): Direction {
  return JUDGES.get(path)?.(before, after) ?? 'neither';
}
