import { counted } from '../../render/index.ts';
import type { ChangeGroup } from '../result.ts';

/** JoinedGroup is a group, or several pods that were admitted once each and differ only in their names. */
export interface JoinedGroup extends ChangeGroup {
  /** Pods beside the one that is named. */
  readonly others: number;
}

/** Fewer are named one by one. */
const MOST_NAMED = 2;

/**
 * joinSinglePods joins pods that no controller made: a hundred pods of one image, each with a name and one row of its own, are one thing to
 * a reader. Most rows first, as the groups come; the sentence is that of the newest.
 */
export function joinSinglePods(groups: readonly ChangeGroup[]): readonly JoinedGroup[] {
  const alike = new Map<string, ChangeGroup[]>();
  for (const group of groups) {
    const { change, namespace, image, label, rows, workload } = group;
    const key = JSON.stringify([change, namespace, image, label, ...(rows === 1 ? [] : [workload])]);
    alike.set(key, [...(alike.get(key) ?? []), group]);
  }
  return [...alike.values()]
    .flatMap((members): readonly JoinedGroup[] => {
      if (members.length <= MOST_NAMED) return members.map((group) => ({ ...group, others: 0 }));
      const newest = members.reduce((a, b) => (b.newest > a.newest ? b : a));
      const rows = members.reduce((sum, group) => sum + group.rows, 0);
      return [{ ...newest, rows, others: members.length - 1 }];
    })
    .toSorted((a, b) => b.rows - a.rows);
}

/** othersText says how many pods stand behind a name; empty for none. */
export function othersText({ others }: JoinedGroup): string {
  return others === 0 ? '' : `and ${counted(others, 'pod')} more`;
}
