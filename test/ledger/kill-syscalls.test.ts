import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { before, test } from 'node:test';
import { openStore } from '../../src/store/engine/open.ts';
import { counted, TORTURE, turns } from '../runs.ts';
import { judgeLedger, makeProgram, scratch, startChild, stopChild } from './kill-process.ts';

/** What a database and a spool call to keep something, and what may go wrong in it. */
const CALLS = ['pwrite64', 'fdatasync,fsync', 'write', 'ftruncate', 'unlink'];
const FAULTS = ['error=EIO', 'error=ENOSPC', 'signal=SIGKILL'];
/** The occurrence of the call at which it goes wrong; with `+`, it and all that follow. */
const OCCURRENCES = ['1', '2', '3', '5', '9', '17', '4..6', '3+'];
/** Lines after which a child may end. */
const ENOUGH = 25;
/** Faults of the test command, and how often `npm run torture` takes each of them. */
const USUAL = 12;
const PASSES = 20;

const skip = canTrace();

/** Why system calls cannot be made to fail here, or false. */
function canTrace(): string | false {
  const traced = spawnSync('strace', ['-f', '-o', '/dev/null', '-e', 'trace=write', 'true'], {
    encoding: 'utf8',
  });
  if (traced.error !== undefined) return 'strace is not on the path';
  return traced.status === 0 ? false : `strace may not trace here: ${traced.stderr.trim()}`;
}

before(() => (skip === false ? makeProgram() : undefined));

test(
  'a system call that fails or kills, wherever it is, costs nothing that was answered',
  { skip },
  async (t) => {
    const sites = CALLS.flatMap((call) =>
      FAULTS.flatMap((fault) => OCCURRENCES.map((when) => ({ call, fault, when }))),
    );
    const { from, until } = turns(USUAL, sites.length * PASSES);
    const count = until - from;
    // Some of them each time, spread over all; every one, and each in another place of the work, under `npm run torture`.
    const chosen = Array.from({ length: count }, (_, i) => {
      const number = from + i;
      const site = TORTURE ? number % sites.length : Math.floor((number * sites.length) / USUAL);
      return { number, ...(sites[site] as (typeof sites)[number]) };
    });
    let felt = 0;
    let answered = 0;
    for (const { number, call, fault, when } of chosen) {
      const file = scratch(`faults-${number}.db`);
      const url = `sqlite:${file}`;
      const spool = scratch(`faults-${number}-spool`);
      mkdirSync(spool);
      await (await openStore({ url })).close();
      const paths = [
        file,
        `${file}-wal`,
        ...[1, 2, 3, 4, 5].map((n) => `${spool}/spool-${String(n).padStart(12, '0')}.log`),
      ];
      const log = scratch(`faults-${number}.log`);
      const under = [
        'strace',
        '-f',
        '-qq',
        '-o',
        log,
        ...paths.flatMap((path) => ['-P', path]),
        '-e',
        `inject=${call}:${fault}:when=${when}`,
      ];
      const child = startChild({ url, spool, number: 2 * number + 1, under });
      await child.ready;
      child.process.stdin?.write('go\n');
      child.heard(() => {
        if (child.lines.length === ENOUGH) child.process.stdin?.write('stop\n');
      });
      const timer = setTimeout(() => child.process.kill('SIGKILL'), 10_000);
      await child.ended;
      clearTimeout(timer);
      if (spawnSync('grep', ['-q', 'INJECTED\\|SIGKILL', log]).status === 0) felt += 1;
      // Without the fault, the next process puts back what waits.
      const healed = startChild({ url, spool, number: 2 * number + 2 });
      healed.process.stdin?.write('go\n');
      await stopChild(healed);
      const what = `${call} ${fault} ${when}`;
      assert.equal(healed.process.exitCode, 0, what);
      const judged = await judgeLedger(url, [...child.lines, ...healed.lines]).catch((error: unknown) =>
        assert.fail(`${what}: ${(error as Error).message}`),
      );
      assert.deepEqual(
        readdirSync(spool).filter((name) => name.endsWith('.log')),
        [],
        what,
      );
      answered += judged.answered;
    }
    assert.ok(felt > count / 3, `${felt} of ${count} faults were felt`);
    assert.ok(answered > count * 5, `${answered} reviews were answered`);
    counted(t, { 'faults of system calls': count, felt, 'reviews answered': answered });
  },
);
