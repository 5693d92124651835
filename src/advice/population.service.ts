import { byCodeUnit, DAY_MS } from '../base/index.ts';
import type { LedgerRow } from '../ledger/index.ts';
import { subjectOf, workloadOf, type ReplaySource } from '../whatif/index.ts';
import type { Group, Population } from './population.ts';

/** Pods of one workload are many: its name is made once for each of them, and no more than so many are remembered. */
const MOST_PODS = 200_000;

/**
 * openPopulation reads every covered row of a period once and holds what sets groups of them apart. The rows that it
 * covers are those of a what-if; break-glass rows are left out.
 */
export async function openPopulation(
  source: ReplaySource,
  {
    asOf,
    days,
    namespaces,
  }: { readonly asOf: number; readonly days: number; readonly namespaces: readonly string[] },
  progress?: (rows: number) => void,
): Promise<Population> {
  const from = source.origin?.source === 'pods' ? -Infinity : asOf - days * DAY_MS;
  const period = { from: asOf - days * DAY_MS, to: asOf };
  const byShape = new Map<LedgerRow, Group | null>();
  const byKey = new Map<string, Group>();
  const workloads = new Map<string, string>();
  let read = 0;
  for await (const batch of source.rows(period)) {
    for (let i = 0; i < batch.ids.length; i += 1) {
      const at = batch.at[i] as number;
      if (at < from || at > asOf) continue;
      const shape = batch.shapes[i] as LedgerRow;
      let group = byShape.get(shape);
      if (group === undefined) {
        if (byShape.size >= MOST_PODS) byShape.clear();
        byShape.set(shape, (group = groupOf(shape, source, namespaces, byKey)));
      }
      if (group === null) continue;
      group.rows += 1;
      const pod = batch.pods[i] ?? '';
      let workload = workloads.get(pod);
      if (workload === undefined) {
        if (workloads.size >= MOST_PODS) workloads.clear();
        workloads.set(pod, (workload = workloadOf(pod)));
      }
      group.workloads.add(workload);
    }
    read += batch.ids.length;
    progress?.(read);
  }
  const groups = [...byKey.values()].toSorted((a, b) => byCodeUnit(a.key, b.key));
  return {
    groups,
    asOf,
    days,
    rows: groups.reduce((sum, { rows }) => sum + rows, 0),
    images: new Set(groups.map(imageKey)).size,
    workloads: new Set(
      groups.flatMap(({ namespace, workloads: own }) => [...own].map((one) => `${namespace}/${one}`)),
    ).size,
    notes: source.origin
      ? [
          `The rows were made from ${source.origin.source === 'pods' ? 'a list of pods' : 'an audit log'}, not from a ledger.`,
        ]
      : [],
  };
}

/** imageKey names an image: by its digest where that is known. */
export function imageKey({ subject, image }: Pick<Group, 'subject' | 'image'>): string {
  return subject?.digest ?? image;
}

function groupOf(
  row: LedgerRow,
  source: ReplaySource,
  namespaces: readonly string[],
  byKey: Map<string, Group>,
): Group | null {
  if (row.image === null || row.image === undefined || row.pod_level === true || row.break_glass === true)
    return null;
  if (row.kind !== 'review' && row.kind !== null && row.kind !== undefined) return null;
  const namespace = row.namespace ?? '';
  if (namespaces.length > 0 && !namespaces.includes(namespace)) return null;
  const key = JSON.stringify([
    ...[row.image, row.digest ?? null, namespace, row.allowed, row.signals ?? null],
    ...[row.exposed_by ?? null, row.platform ?? null],
  ]);
  let group = byKey.get(key);
  if (group === undefined) {
    group = {
      key,
      namespace,
      image: row.image,
      subject: subjectOf(row, source, null),
      signals: row.signals ?? null,
      allowed: row.allowed,
      rows: 0,
      workloads: new Set<string>(),
    };
    byKey.set(key, group);
  }
  return group;
}
