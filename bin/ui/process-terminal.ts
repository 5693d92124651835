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
      if (code === 'EAGAIN') continue; // a pipe that is full for now
      if (code === 'EPIPE') return;
      throw error;
    }
  }
}
