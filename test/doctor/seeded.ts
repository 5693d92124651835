import assert from 'node:assert/strict';
import type { CheckResult, State } from '../../src/doctor/index.ts';

/** SEEDED_AT_LEAST is how many faults all tables of this folder seed together. */
export const SEEDED_AT_LEAST = 40;

/** holdsFault holds that a fault is named by the right check, with what to do, and that no other check is worse than it was. */
export function holdsFault(
  checks: readonly CheckResult[],
  fault: string,
  id: string,
  state: Exclude<State, 'ok'>,
  says: RegExp,
  also: readonly string[] = [],
): void {
  const found = checks.filter((one) => one.id === id && one.state === state);
  assert.ok(found.length > 0, `${fault}: ${id} does not ${state}: ${JSON.stringify(wrong(checks))}`);
  assert.ok(
    found.some(({ message }) => says.test(message)),
    `${fault}: ${JSON.stringify(found)}`,
  );
  for (const { hint } of found) assert.ok(hint !== null && hint.length > 10, `${fault}: what to do`);
  const others = wrong(checks).filter((one) => one.id !== id && !also.includes(one.id));
  assert.deepEqual(others, [], `${fault} is named by no other check`);
}

/** wrong gives the checks that are not ok. */
export function wrong(checks: readonly CheckResult[]): readonly CheckResult[] {
  return checks.filter(({ state }) => state !== 'ok');
}
