import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openStandaloneLeader } from '../../src/app/leadership/standalone-leader.ts';
import { openStore } from '../../src/store/engine/open.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { filingStore } from '../../src/store/tracking/filing.ts';
import { hasLostLead } from '../../src/leadership/index.ts';
import { forEachEngine } from '../store/engines.ts';

forEachEngine('a process that leads itself', (engine) => {
  const opened: Promise<Store> = engine.migrated().then((url) => openStore({ url }));
  after(async () => (await opened).close());

  test('loses the lead to the next one at once in what it writes, says so once, and never leads again', async () => {
    const store = await opened;
    const said: string[] = [];
    const log = { warn: (message: string) => void said.push(message) };
    const first = await openStandaloneLeader(store, 1, log);
    await first.check();
    assert.ok(first.isLeader());
    const second = await openStandaloneLeader(store, 2, log);
    assert.ok(second.fence() > first.fence());
    const filing = filingStore(store);
    await assert.rejects(filing.saveClock({ steady: 1, wall: 1 }, first.fence()), hasLostLead);
    await filing.saveClock({ steady: 1, wall: 1 }, second.fence());
    await first.check();
    await first.check();
    assert.ok(!first.isLeader());
    await second.check();
    assert.ok(second.isLeader());
    assert.deepEqual(said, [
      'another process leads over the same database; this one opens and closes no issues until it is started again',
    ]);
  });
});
