import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { NEW_AS_NEW } from '../../src/app/programs/worker-entry.ts';
import { withoutOpenssl } from '../app/certificate.ts';
import { openParted, statusOf, type ProcessName } from './parts.ts';

/** Numbers of the scheduler's classes in /proc, `sched(7)`. */
const [NORMAL, IDLE] = [0, 5];
const NICE = 18;
const CLASS = 40;

/** The class and the nice value of each thread of a process. */
function threadsOf(pid: number): readonly (readonly [policy: number, nice: number])[] {
  return readdirSync(`/proc/${pid}/task`).map((thread) => {
    const text = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
    // The name of the program comes second, in brackets, and may hold anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return [Number(fields[CLASS - 2]), Number(fields[NICE - 2])];
  });
}

const withoutClass = ((): string | false => {
  if (withoutOpenssl !== false) return withoutOpenssl;
  if (process.platform !== 'linux' || availableParallelism() < 2)
    return 'the class for idle time is used on Linux with two processors or more';
  try {
    execFileSync('chrt', ['--version'], { stdio: 'ignore' });
    return false;
  } catch {
    return 'there is no chrt';
  }
})();

test(
  'only the webhook and what starts it have the processors before others; the service takes no row for one that stays',
  { skip: withoutClass },
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'ipo-priorities-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const daemon = await openParted(folder, undefined, { IPO_BACKGROUND_PRIORITY: 'idle' });
    t.after(() => daemon.end());
    daemon.start();
    for (let tries = 0; (await statusOf(daemon.port, '/readyz')) !== 200; tries += 1) {
      assert.ok(tries < 300, daemon.log.join('\n'));
      await sleep(200);
    }
    const classes = (name: ProcessName): readonly string[] => {
      const pid = daemon.pid(name);
      assert.ok(pid !== null, daemon.log.join('\n'));
      return [...new Set(threadsOf(pid).map(([policy, nice]) => `${policy} ${nice}`))].toSorted();
    };
    // The service's part goes behind once it works.
    for (let tries = 0; classes('service').some((one) => !one.startsWith(`${IDLE} `)); tries += 1) {
      assert.ok(tries < 100, classes('service').join());
      await sleep(100);
    }
    assert.ok(
      classes('service').every((one) => Number(one.split(' ')[1]) >= 10),
      classes('service').join(),
    );
    assert.ok(
      classes('replay').every((one) => one.startsWith(`${IDLE} `)),
      classes('replay').join(),
    );
    assert.deepEqual(classes('webhook'), [`${NORMAL} 0`]);
    assert.deepEqual(classes('ipod'), [`${NORMAL} 0`]);
    const flags = (name: ProcessName): string => readFileSync(`/proc/${daemon.pid(name)}/cmdline`, 'utf8');
    assert.ok(flags('service').includes(NEW_AS_NEW));
    assert.ok(!flags('webhook').includes(NEW_AS_NEW));
  },
);
