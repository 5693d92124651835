/** AuditStart says of a log that is being read whether it is one: its first event, or the first line that is not one. */
export interface AuditStart {
  /** True once an audit event was seen. */
  isLog: boolean;
  /** Number from 1 of the first line that is not an audit event; 0 where there was none so far. */
  firstOther: number;
}

const NEWLINE = 10;
/** An event is not longer, as in `auditLines`. */
const MAX_LINE = 8 * 1024 * 1024;

/**
 * untilEvent gives the pieces of a log as they are, and writes into `start` what it finds. The lines are read only up to the first event: a log that
 * was rotated begins in the middle of a line, while any other file has no event at all.
 */
export async function* untilEvent(
  chunks: AsyncIterable<Uint8Array>,
  start: AuditStart,
): AsyncGenerator<Uint8Array, void, undefined> {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let number = 0;
  const take = (piece: Buffer): void => {
    heldBytes += piece.length;
    if (heldBytes <= MAX_LINE) held.push(Buffer.from(piece));
  };
  const judge = (): void => {
    number += 1;
    const line = heldBytes > MAX_LINE ? null : Buffer.concat(held).toString('utf8').trim();
    held = [];
    heldBytes = 0;
    if (line === '') return;
    if (line !== null && isEvent(line)) start.isLog = true;
    else start.firstOther ||= number;
  };
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let from = 0;
    while (!start.isLog && from < bytes.length) {
      const end = bytes.indexOf(NEWLINE, from);
      take(bytes.subarray(from, end === -1 ? bytes.length : end));
      if (end === -1) break;
      judge();
      from = end + 1;
    }
    yield chunk;
  }
  if (!start.isLog && heldBytes > 0) judge();
}

/** An event, or the list of events that a webhook backend writes. */
function isEvent(line: string): boolean {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return false;
  }
  if (value === null || typeof value !== 'object') return false;
  const { apiVersion, auditID, items } = value as Readonly<Record<string, unknown>>;
  if (typeof apiVersion === 'string' && apiVersion.startsWith('audit.k8s.io/')) return true;
  if (typeof auditID === 'string') return true;
  return Array.isArray(items) && items.some((item) => typeof item?.auditID === 'string');
}
