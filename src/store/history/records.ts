import type { AnsweredMinutes, DetectorSigns } from '../../history/index.ts';
import { beginRecord, noteDetector, noteMinutes } from './cluster-days.ts';
import { settleAllFindings } from '../scans/finding-changes.ts';
import { dropLeftStaged } from '../scans/staged-findings.ts';
import type { Store } from '../sql/store.ts';

/** beginHistory keeps that everything is recorded from now on that is recorded by itself, unless it was before, and brings in what a crash left. */
export async function beginHistory(store: Store, at: number): Promise<void> {
  await store.write(async (transaction) => {
    for (const record of ['findings', 'scans', 'catalogue', 'policies'])
      await beginRecord(transaction, record, '', at);
  });
  await settleAllFindings(store);
  // Of several replicas another may be writing them.
  if (store.engine === 'sqlite') await dropLeftStaged(store, Infinity);
}

/** answeredMinutes keeps the minutes in which reviews were answered in a database. */
export function answeredMinutes(store: Store): AnsweredMinutes {
  return {
    keep: (cluster, minutes) => store.write((transaction) => noteMinutes(transaction, cluster, minutes)),
  };
}

/** recordDetector counts signs of life of the runtime detector; to be called with the events that are stored, in one transaction. */
export function recordDetector(store: Store, signs: DetectorSigns): Promise<void> {
  return store.write((transaction) => noteDetector(transaction, signs));
}
