import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linkedPair, type Link, type LinkEnds } from '../../src/app/processes/link.ts';
import { Peer } from '../../src/app/processes/peer.ts';
import { keptLog } from '../api/service.ts';

type Acts = {
  double(given: number, signal: AbortSignal): Promise<number> | number;
  told(given: string): void;
};
type None = { nothing(given: null): null };

/** A link that is cut and joined by hand. */
class Wire {
  readonly ends: [LinkEnds | null, LinkEnds | null] = [null, null];
  /** What was sent and has not come. */
  readonly under: (() => void)[] = [];

  link(own: 0 | 1): Link {
    return {
      open: (told) => void (this.ends[own] = told),
      send: (message) =>
        void this.under.push(() => this.ends[own === 0 ? 1 : 0]?.message(structuredClone(message))),
    };
  }

  there(): void {
    for (const end of this.ends) end?.there();
  }

  deliver(): void {
    for (const act of this.under.splice(0)) act();
  }
}

function pair(acts: Partial<Acts>, link: readonly [Link, Link] = linkedPair()) {
  const [log, heard] = [keptLog(), [] as string[]];
  const doing = new Peer<Acts, None>(link[0], {
    log,
    acts: { double: (n) => n * 2, told: (text) => void heard.push(text), ...acts },
  });
  const asking = new Peer<None, Acts>(link[1], { log, acts: { nothing: () => null } });
  doing.open();
  asking.open();
  return { doing, asking, log, heard };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('what is asked is answered, and what fails fails with its words', async () => {
  const { asking } = pair({
    double: (n) => {
      if (n < 0) throw new RangeError('too small');
      return n * 2;
    },
  });
  await turn();
  assert.deepEqual(await Promise.all([1, 2, 3].map((n) => asking.ask('double', n))), [2, 4, 6]);
  await assert.rejects(asking.ask('double', -1), { message: 'too small' });
});

test('a process that is not there is asked nothing, and told nothing', async () => {
  const wire = new Wire();
  const { asking, heard } = pair({}, [wire.link(0), wire.link(1)]);
  await assert.rejects(asking.ask('double', 1), { code: 'unavailable' });
  asking.tell('told', 'lost');
  wire.there();
  asking.tell('told', 'heard');
  wire.deliver();
  await turn();
  assert.deepEqual(heard, ['heard']);
});

test('a part that dies fails what it was asked, and what its earlier life answers late is answered to nobody', async () => {
  const wire = new Wire();
  const { asking } = pair({}, [wire.link(0), wire.link(1)]);
  wire.there();
  const first = asking.ask('double', 1);
  const failed = assert.rejects(first, { code: 'unavailable' });
  wire.deliver();
  await turn();
  const late = wire.under.splice(0);
  wire.ends[1]?.gone();
  await failed;
  wire.there();
  const second = asking.ask('double', 21);
  for (const act of late) act();
  wire.deliver();
  await turn();
  wire.deliver();
  assert.equal(await second, 42);
});

test('an answer that nobody waits for any more is cancelled', async () => {
  const cancelled = Promise.withResolvers<void>();
  const { asking } = pair({
    double: (_, signal) =>
      new Promise<number>((resolve) => {
        signal.addEventListener('abort', () => {
          cancelled.resolve();
          resolve(0);
        });
      }),
  });
  await turn();
  const left = new AbortController();
  const answer = assert.rejects(asking.ask('double', 1, { signal: left.signal }), { code: 'unavailable' });
  left.abort();
  await Promise.all([answer, cancelled.promise]);
  await assert.rejects(asking.ask('double', 1, { ms: 1 }), { code: 'unavailable' });
});

test('what was told and cannot be taken is logged', async () => {
  const { asking, log } = pair({
    told: () => {
      throw new RangeError('thrown');
    },
  });
  await turn();
  asking.tell('told', 'anything');
  await turn();
  await turn();
  assert.equal(log.lines.length, 1);
});
