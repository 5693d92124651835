import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { Pace, tellPace, type PaceParts } from '../../src/app/programs/pace.ts';
import { ReviewTraffic } from '../../src/app/webhook/review-traffic.ts';

/** A process that works when it is told to, and rests in no time. */
function process(): { parts: PaceParts; rests: number[]; work(ms: number): void; looks(): boolean } {
  const rests: number[] = [];
  let worked = 0;
  let look: (() => void) | null = null;
  return {
    rests,
    parts: {
      worked: () => worked,
      rest: (ms) => void rests.push(ms),
      every: (_ms, act) => {
        look = act;
        return () => (look = null);
      },
    },
    work(ms) {
      worked += ms;
      look?.();
    },
    looks: () => look !== null,
  };
}

test('A process that has to rest works a tenth of the time', () => {
  const { parts, rests, work } = process();
  const pace = new Pace(parts);
  work(1000);
  pace.take({ rests: true });
  for (const ms of [2, 0.5, 0.4, 0.2, 3, 30]) work(ms);
  assert.deepEqual(
    rests.map((ms) => Math.round(ms * 10) / 10),
    [18, 9.9, 27, 270],
    'what was worked before is not made up for, and little is kept for the next look',
  );
});

test('No rest lasts longer than half a second, so that a package gives signs of its process', () => {
  const { parts, rests, work } = process();
  new Pace(parts).take({ rests: true });
  work(4000);
  work(2);
  assert.deepEqual(rests, [500, 18]);
});

test('A process rests no more once no reviews come, and again when they do', () => {
  const { parts, rests, work, looks } = process();
  const pace = new Pace(parts);
  pace.take({ rests: true });
  pace.take({ rests: true });
  work(2);
  pace.take({ rests: false });
  assert.equal(looks(), false, 'nothing looks any more');
  work(100);
  pace.take({ rests: true });
  work(2);
  assert.deepEqual(rests, [18, 18]);
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

test('A process of background work is told as it begins, when reviews begin to come, and when they end', async () => {
  const child = fork(join(import.meta.dirname, 'pace-echo.ts'), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const traffic = { comes: true };
  tellPace(child, traffic);
  assert.deepEqual(await once(child, 'message'), [{ rests: true }, undefined]);
  traffic.comes = false;
  assert.deepEqual(await once(child, 'message'), [{ rests: false }, undefined]);
  child.disconnect();
  await once(child, 'exit');
});
