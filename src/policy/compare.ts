import { judgeChanges, type FieldChange } from './changes.ts';
import type { ParsedPolicy } from './parse.ts';

/** PolicyPair is a policy of the one file beside that of the other; null where only one file has it. */
export interface PolicyPair {
  readonly name: string;
  readonly status: 'same' | 'changed' | 'added' | 'removed';
  readonly before_revision: string | null;
  readonly after_revision: string | null;
  readonly changes: readonly FieldChange[];
}

/** Comparison is the body of `ipo policy diff -o json`. */
export interface Comparison {
  readonly before: string;
  readonly after: string;
  readonly policies: readonly PolicyPair[];
  readonly summary: Readonly<
    Record<'same' | 'changed' | 'added' | 'removed' | 'tighter' | 'looser' | 'neither', number>
  >;
}

/** A policy file with its name to show. */
interface Side {
  readonly file: string;
  readonly policies: readonly ParsedPolicy[];
}

/** comparePolicies pairs policies by name; of two files with one policy each, these two, whatever they are called. */
export function comparePolicies(before: Side, after: Side): Comparison {
  const pairs = pairUp(before.policies, after.policies).map(([left, right]): PolicyPair => {
    const changes =
      left === null || right === null
        ? []
        : [...renamed(left, right), ...judgeChanges(left.policy.spec, right.policy.spec)];
    return {
      name: (right ?? left)?.policy.name ?? '',
      status: statusOf(left, right, changes.length > 0),
      before_revision: left?.policy.revision ?? null,
      after_revision: right?.policy.revision ?? null,
      changes,
    };
  });
  const summary = { same: 0, changed: 0, added: 0, removed: 0, tighter: 0, looser: 0, neither: 0 };
  for (const { status, changes } of pairs) {
    summary[status] += 1;
    for (const { direction } of changes) summary[direction] += 1;
  }
  return { before: before.file, after: after.file, policies: pairs, summary };
}

function renamed(left: ParsedPolicy, right: ParsedPolicy): FieldChange[] {
  const [before, after] = [left.policy.name, right.policy.name];
  return before === after
    ? []
    : [{ path: 'metadata.name', before, after, direction: 'neither', entries: null }];
}

type Pair = readonly [ParsedPolicy | null, ParsedPolicy | null];

function pairUp(before: readonly ParsedPolicy[], after: readonly ParsedPolicy[]): Pair[] {
  const [left, right] = [before[0], after[0]];
  if (left !== undefined && right !== undefined && before.length === 1 && after.length === 1)
    return [[left, right]];
  const open = [...after];
  const pairs = before.map((policy): Pair => {
    const at = open.findIndex((other) => other.policy.name === policy.policy.name);
    return [policy, at === -1 ? null : (open.splice(at, 1)[0] ?? null)];
  });
  return [...pairs, ...open.map((policy): Pair => [null, policy])];
}

function statusOf(
  left: ParsedPolicy | null,
  right: ParsedPolicy | null,
  isChanged: boolean,
): PolicyPair['status'] {
  if (left === null) return 'added';
  if (right === null) return 'removed';
  return isChanged ? 'changed' : 'same';
}
