import { isDigest } from '../base/index.ts';
import type { LedgerRow } from './entry.ts';

/**
 * parseRow checks a row line's value and gives it as it is: no copy, since this runs for every row of a file of millions. Throws an Error
 * whose message names the field. Unknown fields are ignored.
 */
export function parseRow(value: Readonly<Record<string, unknown>>): LedgerRow {
  const row = value as unknown as LedgerRow;
  if (!Number.isSafeInteger(row.id) || row.id < 0)
    throw new Error('id is not a whole number from 0 to 2^53 - 1');
  if (typeof row.time !== 'string') throw new Error('time is not a text');
  if (typeof row.allowed !== 'boolean') throw new Error('allowed is not true or false');
  if (typeof row.reason !== 'string') {
    if (row.reason !== undefined && row.reason !== null) throw new Error('reason is not a text');
    (value as { reason: string }).reason = '';
  }
  checkTexts(row);
  checkDigest(row.digest);
  checkSignals(row.signals);
  checkFlags(row);
  return row;
}

function checkTexts(row: LedgerRow): void {
  if (!isText(row.image)) throw new Error('image is not a text');
  if (!isText(row.namespace)) throw new Error('namespace is not a text');
  if (!isText(row.pod)) throw new Error('pod is not a text');
  if (!isText(row.container)) throw new Error('container is not a text');
  if (!isText(row.cluster)) throw new Error('cluster is not a text');
  if (!isText(row.kind)) throw new Error('kind is not a text');
  if (!isText(row.label)) throw new Error('label is not a text');
  if (!isText(row.policy)) throw new Error('policy is not a text');
  if (!isText(row.policy_revision)) throw new Error('policy_revision is not a text');
  if (!isText(row.exposed_by)) throw new Error('exposed_by is not a text');
  if (!isText(row.inputs)) throw new Error('inputs is not a text');
  if (!isText(row.platform)) throw new Error('platform is not a text');
}

function checkDigest(digest: unknown): void {
  if (digest === null || digest === undefined) return;
  if (typeof digest !== 'string' || !isDigest(digest))
    throw new Error('digest is not sha256: with 64 lowercase hex digits');
}

function checkSignals(signals: unknown): void {
  if (signals === null || signals === undefined) return;
  if (!Array.isArray(signals)) throw new Error('signals is not a list');
  for (const signal of signals)
    if (typeof signal !== 'string') throw new Error('signals contains something other than texts');
}

function checkFlags(row: LedgerRow): void {
  if (!isFlag(row.break_glass)) throw new Error('break_glass is not true or false');
  if (!isFlag(row.pod_level)) throw new Error('pod_level is not true or false');
  if (!isFlag(row.clock_suspect)) throw new Error('clock_suspect is not true or false');
}

function isText(value: unknown): boolean {
  return typeof value === 'string' || value === null || value === undefined;
}

function isFlag(value: unknown): boolean {
  return typeof value === 'boolean' || value === null || value === undefined;
}
