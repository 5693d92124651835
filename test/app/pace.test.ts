import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import {
  A_TENTH,
  Pace,
  tellPace,
  whileLogIsShort,
  type PaceParts,
  type PaceTold,
} from '../../src/app/programs/pace.ts';
import { logBytesOf } from '../../src/store/index.ts';
import { ReviewTraffic } from '../../src/app/webhook/review-traffic.ts';

/** A process of which only the time passes that it works, rests or waits. */
class Process {
  readonly rests: number[] = [];
  #now = 0;
  #worked = 0;
  #look: (() => void) | null = null;

  readonly parts: PaceParts = {
    now: () => this.#now,
    worked: () => this.#worked,
    rest: (ms) => {
      this.rests.push(Math.round(ms * 10) / 10);
      this.#now += ms;
    },
    every: (_ms, act) => {
      this.#look = act;
      return () => (this.#look = null);
    },
  };

  work(ms: number): void {
    this.#now += ms;
    this.#worked += ms;
    this.#look?.();
  }

  wait(ms: number): void {
    this.#now += ms;
  }

  get looks(): boolean {
    return this.#look !== null;
  }
}

test('A process that has to rest works a tenth of the time', () => {
  const one = new Process();
  const pace = new Pace(A_TENTH, one.parts);
  one.work(1000);
  pace.take({ rests: true });
  for (const ms of [2, 0.1, 0.1, 3, 30]) one.work(ms);
  assert.deepEqual(one.rests, [18, 1.8, 27, 270], 'what was worked before is not made up for');
});

test('What it waited for was a rest as well', () => {
  const one = new Process();
  const pace = new Pace(A_TENTH, one.parts);
  pace.take({ rests: true });
  one.wait(10);
  one.work(2);
  one.wait(60);
  one.work(2);
  assert.deepEqual(one.rests, [8], 'a rest that was not needed is not saved up');
});

test('No rest lasts longer than half a second, so that a package gives signs of its process', () => {
  const one = new Process();
  new Pace(A_TENTH, one.parts).take({ rests: true });
  one.work(200);
  for (let looks = 0; looks < 4; looks += 1) one.work(0);
  assert.deepEqual(one.rests, [500, 500, 500, 300]);
});

test('A process rests no more once no reviews come, and again when they do', () => {
  const one = new Process();
  const pace = new Pace(A_TENTH, one.parts);
  pace.take({ rests: true });
  pace.take({ rests: true });
  one.work(2);
  pace.take({ rests: false });
  assert.equal(one.looks, false, 'nothing looks any more');
  one.work(100);
  pace.take({ rests: true });
  one.work(2);
  assert.deepEqual(one.rests, [18, 18]);
});

test('What has rested works a burst at once, and rests for what it works beyond that', () => {
  const one = new Process();
  const pace = new Pace({ rest: 4, burst: 300 }, one.parts);
  pace.works = false;
  pace.take({ rests: true });
  assert.equal(one.looks, false, 'what has no work does not look');
  const call = (ms: number): void => {
    pace.works = true;
    one.work(ms);
    pace.works = false;
  };
  for (const ms of [85, 85, 85]) call(ms);
  assert.deepEqual(one.rests, [], 'a list is there at once');
  for (const ms of [85, 85, 85]) call(ms);
  assert.deepEqual(one.rests, [160, 340, 340], 'who goes on asking waits');
  one.wait(1200);
  one.rests.length = 0;
  call(85);
  assert.deepEqual(one.rests, [], 'the burst is there again');
});

test('Reviews come for five seconds after the last one that was answered', () => {
  let now = 0;
  const traffic = new ReviewTraffic(() => now);
  assert.equal(traffic.comes, false, 'nobody has told of any');
  traffic.saw({ answered: 0, reviews: 0 });
  assert.equal(traffic.comes, false, 'none was answered yet');
  traffic.saw({ answered: 3, reviews: 0 });
  assert.equal(traffic.comes, true);
  now += 4_999;
  traffic.saw({ answered: 3, reviews: 0 });
  traffic.saw(null);
  assert.equal(traffic.comes, true, 'they come in bursts');
  now += 1;
  assert.equal(traffic.comes, false);
  traffic.saw({ answered: 3, reviews: 1 });
  assert.equal(traffic.comes, true, 'one is being answered');
  now += 6_000;
  traffic.saw({ answered: 1, reviews: 0 });
  assert.equal(traffic.comes, true, 'a new life of the webhook counts from 0');
});

test('What reads one moment of a database rests no more once its log is long', () => {
  let size = 0;
  const traffic = { comes: true };
  const short = whileLogIsShort(traffic, () => size);
  assert.equal(short.comes, true);
  size = 400 * 1024 * 1024;
  assert.equal(short.comes, false);
  size = 0;
  traffic.comes = false;
  assert.equal(short.comes, false);
});

test('The log of a database is beside its file, and a server has none', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ipo-log-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const url = `sqlite:${join(folder, 'a.db')}`;
  assert.equal(logBytesOf(url), 0);
  writeFileSync(join(folder, 'a.db-wal'), 'x'.repeat(4120));
  assert.equal(logBytesOf(url), 4120);
  assert.equal(logBytesOf('postgres://ipo@db.example.com/ipo'), 0);
});

test('What works is told as it begins, when reviews begin to come, and when they end', async () => {
  const told: PaceTold[] = [];
  const traffic = { comes: true };
  const end = tellPace((one) => void told.push(one), traffic);
  assert.deepEqual(told, [{ rests: true }]);
  traffic.comes = false;
  const deadline = performance.now() + 20_000;
  while (told.length < 2 && performance.now() < deadline) await sleep(20);
  assert.deepEqual(told, [{ rests: true }, { rests: false }]);
  end();
  traffic.comes = true;
  await sleep(1100);
  assert.equal(told.length, 2, 'nothing is told after the end');
});
