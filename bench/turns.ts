import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

/** What the process beside the appender does while that is measured. */
const WORK = {
  idle: 'alone',
  import: 'while 64 MB of reports are imported',
  judge: 'while 10,000 images are judged and marked',
  prune: 'while what was replaced is deleted',
} as const;

/**
 * benchTurns prints how long 300 commits a second of one process wait for the write lock of a SQLite file while another process works on
 * it, with the log kept by a thread of that one, as the service has it.
 */
export async function benchTurns(
  directory: string,
  line: (name: string, figure: string, must: string) => void,
  images: number,
): Promise<void> {
  const url = `sqlite:${join(directory, 'turns.db')}`;
  for (const [work, name] of Object.entries(WORK)) {
    const other = start('turns-work.ts', url, work, String(images));
    await said(other); // it is ready
    const appender = start('turns-append.ts', url);
    await said(appender);
    other.stdin?.write('go\n');
    const held = JSON.parse(await said(other)) as { worst: number; from: string; ms: number };
    appender.stdin?.write('end\n');
    const waits = JSON.parse(await said(appender)) as Record<'count' | 'median' | 'p99' | 'worst', number>;
    line(
      `300 commits a second ${name}: longest wait for the lock`,
      `${waits.worst.toFixed(1)} ms`,
      work === 'idle' ? '' : 'at most 20 ms',
    );
    line(
      '  median; p99; longest hold of the other',
      `${waits.median.toFixed(2)}; ${waits.p99.toFixed(1)}; ${held.worst.toFixed(1)} ms`,
      '',
    );
  }
}

function start(program: string, ...args: string[]): ChildProcess {
  return spawn(process.execPath, [join(import.meta.dirname, program), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

/** The next line that a process writes. */
function said(child: ChildProcess): Promise<string> {
  return new Promise((settle, fail) => {
    let text = '';
    const take = (chunk: Buffer): void => {
      text += chunk.toString();
      if (!text.includes('\n')) return;
      child.stdout?.off('data', take);
      settle(text);
    };
    child.stdout?.on('data', take);
    child.once('exit', (code) => fail(new Error(`a measured process ended with ${code}`)));
  });
}
