import { StringDecoder } from 'node:string_decoder';
import type { Readable } from 'node:stream';

/** Characters of one line; what is longer is cut there, so that a part that writes no end of line fills no memory. */
const MOST_CHARS = 1024 * 1024;

/**
 * wholeLines hands over each line of a stream, without its end, which is only a line feed: what a text may hold besides (U+2028, a carriage
 * return) begins no line. What a process that was killed had not written to its end is left out, since it is not a line of a log.
 */
export function wholeLines(input: Readable, line: (line: string) => void): void {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  input.on('data', (bytes: Buffer) => {
    const lines = (rest + decoder.write(bytes)).split('\n');
    rest = lines.pop() ?? '';
    for (const one of lines) line(one);
    if (rest.length <= MOST_CHARS) return;
    line(rest);
    rest = '';
  });
}
