import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Progress } from '../../bin/terminal/progress.ts';
import type { Terminal } from '../../bin/terminal/terminal.ts';

/** What a person sees while a file is read, at given seconds and shares of it. */
function seen(
  steps: readonly (readonly [second: number, share: number | null])[],
  tty = true,
): readonly string[] {
  const lines: string[] = [];
  let now = 0;
  const terminal = {
    err: (text: string) => void lines.push(text),
    env: { TERM: 'xterm' },
    tty: { in: tty, out: tty, err: tty },
  } as unknown as Terminal;
  const progress = new Progress(terminal, { color: true }, () => now * 1000);
  for (const [second, share] of steps) {
    now = second;
    progress.bytes(share === null ? 1 : share * 100, share === null ? null : 100);
    progress.rows(second * 1000);
  }
  progress.end();
  return lines.map((line) => line.replace('\r\u001b[2K', ''));
}

test('progress tells how much is read, and how long the rest will take', () => {
  assert.deepEqual(
    seen([
      [0.5, 0.1],
      [2, 0.25],
      [10, 0.1],
      [30, 1],
    ]),
    [
      'reading the ledger ━━━━━╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌  25 %  2,000 rows, 1,000/s, 6 s left',
      'reading the ledger ━━╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌  10 %  10,000 rows, 1,000/s, 1 min 30 s left',
      'reading the ledger ━━━━━━━━━━━━━━━━━━━━ 100 %  30,000 rows, 1,000/s, 0 s left',
      '',
    ],
  );
});

test('nothing is guessed from the first bytes, or where the size is not known', () => {
  assert.deepEqual(
    seen([
      [1, 0.01],
      [2, null],
    ]).map((line) => line.includes('left')),
    [false, false, false],
  );
  assert.deepEqual(seen([[5, 0.5]], false), [], 'nobody watches');
});
