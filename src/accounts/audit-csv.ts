import { stringify } from 'csv-stringify/sync';
import { formatTime } from '../base/index.ts';
import type { AuditRecord } from './audit.ts';

/** AUDIT_COLUMNS are the columns of the log as CSV, and the fields of an entry on the wire. */
export const AUDIT_COLUMNS = [
  'id',
  'time',
  'actor_id',
  'actor',
  'action',
  'target',
  'path',
  'detail',
] as const;

// What a spreadsheet takes for the start of a formula, also behind what it strips first or does not show.
const FORMULA = /^(?:[\s\p{Cc}\p{Cf}]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|[\t\r\n])/u;

/** disarm gives a cell that no spreadsheet takes for a formula: one that could be begins with `'`. */
function disarm(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

/**
 * auditCsv streams the log as CSV (RFC 4180, UTF-8, every cell quoted): a line of names, then a line for each entry. Texts come from the
 * callers of the service, so they are made inert.
 */
export async function* auditCsv(pages: AsyncIterable<readonly AuditRecord[]>): AsyncGenerator<string> {
  yield toCsv([AUDIT_COLUMNS]);
  for await (const page of pages) if (page.length > 0) yield toCsv(page.map(toCells));
}

function toCsv(lines: readonly (readonly string[])[]): string {
  return stringify(
    lines.map((cells) => cells.map(disarm)),
    { quoted: true, quoted_empty: true, escape_formulas: true, record_delimiter: '\r\n' },
  );
}

function toCells({ id, at, actorId, actor, action, target, path, detail }: AuditRecord): string[] {
  const text = detail === null ? '' : JSON.stringify(detail);
  return [String(id), formatTime(at), actorId ?? '', actor ?? '', action, target ?? '', path ?? '', text];
}
