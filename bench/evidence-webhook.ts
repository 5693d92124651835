import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomLetters } from '../src/base/index.ts';
import { toRequest } from '../src/evidence/index.ts';
import { openStore, packageStore } from '../src/store/index.ts';
import { withoutOpenssl } from '../test/app/certificate.ts';
import { openParted } from '../test/daemon/parts.ts';
import { BENCH_ORIGIN, ENDS_AT } from './ledger-store.ts';
import {
  AS_IN_IMAGE,
  benchBeside,
  loadOf,
  secondsOf,
  unansweredOf,
  untilReady,
  warmUp,
  type Line,
} from './parted-load.ts';

const FROM = Date.parse('2026-10-01T00:00:00Z');

/**
 * benchEvidenceWebhook prints by how much a package that the daemon makes of a database moves the webhook's p99 at 300 reviews a second:
 * quiet and while packages are made, in turns. `keyFile` has the key of its ledger.
 */
export async function benchEvidenceWebhook(
  { directory, url, keyFile }: { directory: string; url: string; keyFile: string },
  line: Line,
  quick: boolean,
): Promise<void> {
  if (withoutOpenssl !== false) {
    line('webhook while a package is made', 'not measured', withoutOpenssl);
    return;
  }
  const seconds = secondsOf(quick);
  const store = await openStore({ url });
  const packages = packageStore(store);
  const env = { IPO_LEDGER_KEY_FILE: keyFile, IPO_LEDGER_ORIGIN: BENCH_ORIGIN };
  const daemon = await openParted(join(directory, 'evidence-daemon'), url, { ...AS_IN_IMAGE, ...env });
  daemon.start();
  const stateOf = async (id: string) => (await packages.get(id))?.state ?? 'failed';
  const ask = async (): Promise<string> => {
    const id = randomLetters(16);
    const request = toRequest({ from: FROM, to: ENDS_AT }, Date.now());
    await packages.add({ id, accountId: 'a'.repeat(16), createdAt: Date.now(), request }, 20);
    return id;
  };
  /** Has packages made until it is told to stop; the last one is cancelled. */
  const make = async (stop: AbortSignal, began: () => void): Promise<number> => {
    for (let made = 0; ; made += 1) {
      const id = await ask();
      for (let state = 'queued'; state !== 'done'; state = await stateOf(id)) {
        if (state === 'failed') throw new Error((await packages.get(id))?.error ?? 'there is no package');
        if (state === 'running') began();
        if (stop.aborted) {
          await packages.cancel(id, 'cancelled', Date.now());
          return made;
        }
        await sleep(50);
      }
    }
  };
  try {
    await untilReady(daemon);
    await warmUp(daemon, quick);
    let [made, unanswered] = [0, 0];
    const beside = async () => {
      const over = new AbortController();
      const { promise, resolve } = Promise.withResolvers<void>();
      const making = make(over.signal, resolve);
      await Promise.race([promise, making]);
      const load = await loadOf(daemon, seconds);
      over.abort();
      made += await making;
      unanswered += unansweredOf(load);
      await sleep(3000); // its process has ended by then
      return load;
    };
    // The first package after a start meets code that nothing has called yet: told by itself, as a round of its own.
    const [alone, first] = [await loadOf(daemon, seconds), await beside()];
    line(
      'p99 at 300/s while the first package after a start is made: of quiet',
      (first.p99 / alone.p99).toFixed(2),
      '',
    );
    const what = 'p99 at 300/s while a package is made: of quiet';
    await benchBeside({ daemon, seconds, line }, what, 'at most 1.20; worst 1.50', beside);
    line('  reviews without an answer; packages that ended meanwhile', `${unanswered}; ${made}`, '0');
  } finally {
    await daemon.end();
    await store.close();
  }
}
