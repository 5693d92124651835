import { printable } from '../../base/index.ts';
import { isDenialLabel } from '../../decision/index.ts';
import { cutMiddle, displayWidth, mostOf } from '../../render/index.ts';
import type { ChangeGroup, WhatIfResult } from '../result.ts';
import { joinSinglePods, type JoinedGroup } from './single-pods.ts';

/** Change is the kind of a difference. */
export type Change = 'would_deny' | 'would_allow';

/** Reason is a label with the rows that it stands for. */
export interface Reason {
  readonly change: Change;
  /** Printable. */
  readonly label: string;
  readonly count: number;
  /** The groups of this reason that the answer lists, with single pods joined, most rows first. */
  readonly groups: readonly JoinedGroup[];
}

/** A ledger can hold any text as a label; more than this many foreign ones are summed. */
const MOST_FOREIGN = 8;
const REST = 'further labels';

/** reasonsOf gives the reasons of a change, most rows first and else in the order of the gates; a sum of the rest last. */
export function reasonsOf(result: WhatIfResult, change: Change): readonly Reason[] {
  const counts = Object.entries(result[`${change}_by_reason`]);
  const foreign = counts.filter(([label]) => !isDenialLabel(label));
  const summed = new Set(foreign.slice(MOST_FOREIGN).map(([label]) => label));
  const groups = result.groups.filter((group) => group.change === change);
  const reasons = counts
    .filter(([label]) => !summed.has(label))
    .map(([label, count]) => ({
      change,
      label: printable(label, 60),
      count,
      groups: joinSinglePods(groups.filter((group) => group.label === label)),
    }))
    .toSorted((a, b) => b.count - a.count);
  if (summed.size === 0) return reasons;
  const count = counts.reduce((sum, [label, rows]) => sum + (summed.has(label) ? rows : 0), 0);
  return [
    ...reasons,
    { change, label: REST, count, groups: joinSinglePods(groups.filter(({ label }) => summed.has(label))) },
  ];
}

/** mostOfReasons is the count of the largest reason of either change, at least 1: the full length of a bar. */
export function mostOfReasons(result: WhatIfResult): number {
  return mostOf([...reasonsOf(result, 'would_deny'), ...reasonsOf(result, 'would_allow')]);
}

/** workloadText names a group's workload as `namespace/workload`, printable. */
export function workloadText({ namespace, workload }: Pick<ChangeGroup, 'namespace' | 'workload'>): string {
  return printable(`${namespace ?? '–'}/${workload ?? '–'}`, 400);
}

/** A digest of a name, in as few characters as still tell two images apart at a glance. */
const DIGEST = /@sha256:([0-9a-f]{64})$/;

/**
 * imageText writes an image name in at most `max` columns, printable: with 12 digits of its digest, else with 7, else
 * without where a tag tells the version, then without the first parts of its path; and then cut in the middle.
 */
export function imageText(image: string, max: number): string {
  const long = printable(image, 400).replace(
    DIGEST,
    (_, digest: string) => `@sha256:${digest.slice(0, 12)}…`,
  );
  return displayWidth(long) <= max ? long : shortImageText(image, max);
}

/** shortImageText is `imageText` for a table on a terminal, where one form in all rows reads better than the longest that fits. */
export function shortImageText(image: string, max: number): string {
  const forms = formsOf(image);
  const last = forms.at(-1) ?? '';
  // One … is enough: where the last part does not fit either, it is cut without the sign that parts are missing.
  return (
    forms.find((form) => displayWidth(form) <= max) ?? cutMiddle(last.slice(last.lastIndexOf('/') + 1), max)
  );
}

/** shortestImageWidth is how many columns an image name needs at least, so that its last part is whole. */
export function shortestImageWidth(image: string): number {
  return displayWidth(formsOf(image).at(-1) ?? '');
}

/** The forms of an image name, each shorter than the one before, of which the last has only the last part of its path. */
function formsOf(image: string): string[] {
  const whole = printable(image, 400);
  const digest = DIGEST.exec(whole)?.[1];
  const name = whole.replace(DIGEST, '');
  const tagged = name.lastIndexOf(':') > name.lastIndexOf('/');
  const withDigest = digest === undefined ? name : `${name}@${digest.slice(0, 7)}`;
  const shortest = tagged ? name : withDigest;
  return [withDigest, shortest, ...withoutFirstParts(shortest)];
}

/** `a/b/c:1` as `…/b/c:1` and `…/c:1`. */
function withoutFirstParts(name: string): string[] {
  const parts = name.split('/');
  return parts.slice(1).map((_, first) => `…/${parts.slice(first + 1).join('/')}`);
}
