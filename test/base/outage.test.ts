import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Outage } from '../../src/base/index.ts';

test('an outage is said once when it begins, once for each other fault of it, and once when it ends', () => {
  const outage = new Outage();
  assert.equal(outage.ends(), false);
  assert.deepEqual(
    ['away', 'away', 'slow', 'away', 'slow'].map((fault) => outage.isNew(fault)),
    [true, false, true, false, false],
  );
  assert.deepEqual([outage.ends(), outage.ends()], [true, false]);
  assert.equal(outage.isNew('away'), true);
  const told = Array.from({ length: 1000 }, (_, n) => outage.isNew(`fault ${n}`)).filter(Boolean);
  assert.equal(told.length, 9, 'a fault that never says the same fills no log');
});
