import { writeSync } from 'node:fs';
import type { Terminal } from './terminal.ts';

/** processTerminal is the terminal of this process. */
export function processTerminal(): Terminal {
  const { stdin, stdout, stderr, env } = process;
  return {
    out: (text) => write(1, text),
    err: (text) => write(2, text),
    env,
    tty: { in: stdin.isTTY, out: stdout.isTTY, err: stderr.isTTY },
    columns: Math.min(Math.max(stdout.columns ?? stderr.columns ?? 100, 40), 200),
    stdin,
  };
}

/**
 * Written synchronously, so that nothing is lost when the process ends; a reader that went away (`| head`) ends the
 * output, not the exit code.
 */
function write(descriptor: 1 | 2, text: string): void {
  const bytes = Buffer.from(text, 'utf8');
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EPIPE') return;
      if (code !== 'EAGAIN') throw unwritable(descriptor, code ?? 'unknown fault', error);
      Atomics.wait(pause, 0, 0, 5); // a pipe that is full for now
    }
  }
}

const pause = new Int32Array(new SharedArrayBuffer(4));

/** An expected fault by its shape: its class would load a part of the core into every start. */
function unwritable(descriptor: 1 | 2, code: string, cause: unknown): Error {
  const reason = code === 'ENOSPC' ? 'no space left on the device' : `cannot be written (${code})`;
  return Object.assign(new Error(`${descriptor === 1 ? 'stdout' : 'stderr'}: ${reason}`, { cause }), {
    code: 'unwritable',
    place: undefined,
    hint: 'Write to another place; the result is not whole',
  });
}
