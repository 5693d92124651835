import { fstatSync, statSync, writeSync } from 'node:fs';
import type { Terminal } from './terminal.ts';

/**
 * processTerminal is the terminal of this process. Its streams are looked at when somebody asks: reading one of
 * `process.stdin`, `stdout` and `stderr` loads Node's streams and network, a tenth of a short command's time.
 */
export function processTerminal(): Terminal {
  let columns: number | null = null;
  return {
    out: (text) => write(1, text),
    err: (text) => write(2, text),
    env: process.env,
    tty: {
      get in() {
        return mayBeTerminal(0) && process.stdin.isTTY;
      },
      get out() {
        return mayBeTerminal(1) && process.stdout.isTTY;
      },
      get err() {
        return mayBeTerminal(2) && process.stderr.isTTY;
      },
    },
    get columns() {
      return (columns ??= Math.min(Math.max(columnsOf(1) ?? columnsOf(2) ?? 100, 40), 200));
    },
    get stdin() {
      return process.stdin;
    },
    restart: async (flags) => {
      const { restart } = await import('./restart.ts');
      restart(flags);
    },
  };
}

function columnsOf(descriptor: 1 | 2): number | undefined {
  return mayBeTerminal(descriptor) ? process[descriptor === 1 ? 'stdout' : 'stderr'].columns : undefined;
}

/** A file, a pipe, a socket and the null device are not a terminal; this is known without opening a stream. */
function mayBeTerminal(descriptor: 0 | 1 | 2): boolean {
  try {
    const stat = fstatSync(descriptor);
    return stat.isCharacterDevice() && stat.rdev !== statSync('/dev/null').rdev;
  } catch {
    return true; // closed, or of a system without it: the stream itself says what it is
  }
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
      if (code !== 'EAGAIN') throw unwritable(descriptor, code ?? 'unknown error', error);
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
    hint: 'Write to another place; the result is incomplete',
  });
}
