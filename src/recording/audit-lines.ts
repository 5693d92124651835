/** AuditLine is a line of an audit log that may tell of a pod. */
export interface AuditLine {
  /** From 1. */
  readonly number: number;
  readonly text: string;
}

const NEWLINE = 10;
/** What every event about pods holds, however its JSON is spaced; searched for by its end, which begins with a rarer letter than a quote. */
const PODS = Buffer.from('"pods"');
const NEEDLE = PODS.subarray(1);
const VERB = Buffer.from('"verb":"');
/** The first letters of the verbs that bring no image: get, list, watch, delete and deletecollection. */
const READS = new Set([...'glwd'].map((letter) => letter.charCodeAt(0)));
/** An event with a pod of 1.5 MB, as large as etcd takes, and the answer beside it. */
const MAX_LINE = 8 * 1024 * 1024;

/**
 * auditLines gives the lines of a log that may tell of a pod. All others are passed over without being decoded: of a
 * gigabyte of events a few percent are about pods. A line that is too long is told by `tooLong`, and passed over.
 */
export async function* auditLines(
  chunks: AsyncIterable<Uint8Array>,
  tooLong: (line: number) => void,
): AsyncGenerator<AuditLine, void, undefined> {
  let number = 0;
  let held: Buffer[] = [];
  let heldBytes = 0;
  let isLong = false;
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let from = 0;
    const first = bytes.indexOf(NEWLINE);
    if (heldBytes > 0 || isLong) {
      // The end of a line that began in an earlier chunk.
      const end = first === -1 ? bytes.length : first;
      if (!isLong) held.push(bytes.subarray(0, end));
      heldBytes += end;
      if (heldBytes > MAX_LINE) {
        isLong = true;
        held = [];
      }
      if (first === -1) {
        if (!isLong) held[held.length - 1] = Buffer.from(bytes.subarray(0, end));
        continue;
      }
      number += 1;
      if (isLong) tooLong(number);
      else {
        const text = textOf(Buffer.concat(held));
        if (text !== null) yield { number, text };
      }
      held = [];
      heldBytes = 0;
      isLong = false;
      from = first + 1;
    }
    const last = bytes.lastIndexOf(NEWLINE);
    for (let at = bytes.indexOf(NEEDLE, from); at !== -1 && at <= last; at = bytes.indexOf(NEEDLE, from)) {
      let end = bytes.indexOf(NEWLINE, from);
      let start = from;
      while (end < at) {
        number += 1;
        start = end + 1;
        end = bytes.indexOf(NEWLINE, start);
      }
      number += 1;
      from = end + 1;
      const text = textOf(bytes.subarray(start, end));
      if (text !== null) yield { number, text };
    }
    for (let end = bytes.indexOf(NEWLINE, from); end !== -1; end = bytes.indexOf(NEWLINE, from)) {
      number += 1;
      from = end + 1;
    }
    if (from < bytes.length) {
      held = [Buffer.from(bytes.subarray(from))];
      heldBytes = bytes.length - from;
    }
  }
  if (heldBytes === 0) return;
  number += 1;
  if (isLong) tooLong(number);
  else {
    const text = textOf(Buffer.concat(held));
    if (text !== null) yield { number, text };
  }
}

/** The text of a line that may bring an image, else null. The verb stands before anything that a user wrote, whose quotes are escaped. */
function textOf(line: Buffer): string | null {
  if (!line.includes(PODS)) return null;
  const verb = line.indexOf(VERB);
  if (verb !== -1 && READS.has(line[verb + VERB.length] ?? 0)) return null;
  return line.toString('utf8');
}
