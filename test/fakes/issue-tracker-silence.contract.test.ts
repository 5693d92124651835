import { before, suite, test } from 'node:test';
import { FAKE_KINDS, FAULTS, startFake, type FaultName } from '../../fakes/index.ts';
import { strikeReads, strikeWrites } from './faulty-calls.ts';
import { openTracker } from './tracker.ts';

const NAMES = (Object.keys(FAULTS) as FaultName[]).filter((name) => FAULTS[name].fault.kind === 'hang');
/** Real milliseconds until a call gives up: long for a machine, short for whoever waits. */
const PATIENCE = { timeoutMs: 1000 };

// Side by side, since all of their time is waiting for answers that do not come.
suite('a tracker that does not answer', { concurrency: 12 }, () => {
  // The libraries of the providers are loaded with the first call, which takes a while.
  before(async () => {
    for (const kind of FAKE_KINDS) {
      const fake = await startFake(kind);
      await openTracker(fake).self();
      await fake.close();
    }
  });

  for (const kind of FAKE_KINDS) {
    for (const name of NAMES) {
      test(`${kind}, ${name}: create, comment and close are not known, and no double is left`, async (t) => {
        await strikeWrites(t, kind, name, PATIENCE);
      });
      test(`${kind}, ${name}: a read fails, and is answered the next time`, async (t) => {
        await strikeReads(t, kind, name, PATIENCE);
      });
    }
  }
});
