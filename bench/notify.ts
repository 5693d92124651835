import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startInbox } from '../fakes/index.ts';
import { deliveryList, openStore } from '../src/store/index.ts';
import { withoutOpenssl } from '../test/app/certificate.ts';
import { openParted } from '../test/daemon/parts.ts';
import { KINDS, settingsOf } from '../test/notify/world.ts';
import { subscribe } from '../test/notify/subscriber.ts';
import {
  AS_IN_IMAGE,
  benchBeside,
  besideScript,
  secondsOf,
  unansweredOf,
  untilReady,
  warmUp,
  type Line,
} from './parted-load.ts';

/** Storm is how the transactions of one held the lock, in milliseconds. */
interface Storm {
  readonly seconds: number;
  readonly held: number;
  readonly median: number;
  readonly worst: number;
}

const median = (all: readonly number[]): number => all.toSorted((a, b) => a - b)[all.length >> 1] ?? NaN;

/**
 * benchNotify prints by how much a storm of 100,000 events of one incident in a minute, told to a channel of each kind, moves the webhook's
 * p99 at 300 reviews a second: the whole daemon as processes, quiet and in the storm in turns.
 */
export async function benchNotify(line: Line, quick: boolean): Promise<void> {
  if (withoutOpenssl !== false) {
    line('webhook in a storm of events', 'not measured', withoutOpenssl);
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'ipo-bench-notify-'));
  const url = process.env['IPO_BENCH_DATABASE'] ?? `sqlite:${join(folder, 'notify.db')}`;
  const inbox = await startInbox();
  const store = await openStore({ url });
  for (const kind of KINDS) await subscribe(store, kind, undefined, settingsOf(kind, inbox), kind);
  const daemon = await openParted(join(folder, 'daemon'), url, {
    ...AS_IN_IMAGE,
    IPO_TRACKERS_TEST_LOOPBACK: 'true',
  });
  daemon.start();
  try {
    await untilReady(daemon);
    const seconds = secondsOf(quick);
    await warmUp(daemon, quick);
    const storms: Storm[] = [];
    let unanswered = 0;
    const stormy = async () => {
      const { load, said } = await besideScript(daemon, seconds, ['notify-storm.ts', url]);
      storms.push(JSON.parse(said) as Storm);
      await sleep(1500);
      unanswered += unansweredOf(load);
      return load;
    };
    const what = 'p99 at 300/s while 1,667 events a second are told: of quiet';
    await benchBeside({ daemon, seconds, line }, what, 'at most 1.10', stormy);
    const { items } = await deliveryList(store).list({
      channelId: null,
      state: null,
      limit: 1000,
      offset: 0,
    });
    const told = items.flatMap(({ events }) => events).reduce((sum, { count }) => sum + count, 0);
    line(
      '  commits a second of the storm; median and longest hold',
      `${median(storms.map(({ held, seconds: lasted }) => held / lasted)).toFixed(1)}; ${median(storms.map((storm) => storm.median)).toFixed(1)} and ${Math.max(...storms.map(({ worst }) => worst)).toFixed(1)} ms`,
      '',
    );
    line(
      '  reviews without an answer; messages; events that they count',
      `${unanswered}; ${items.length}; ${told}`,
      '0',
    );
  } finally {
    await daemon.end();
    await store.close();
    await inbox.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
