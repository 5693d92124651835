import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../src/base/index.ts';
import { checkOffset, isCheckDue, replayCeiling, warningOf } from '../../src/licence/index.ts';

const START = Date.parse('2026-11-20T00:00:00Z');
const HOUR = 3_600_000;

test('checks of 1,000 clusters are spread over the day', () => {
  const hours = new Array<number>(24).fill(0);
  for (let n = 0; n < 1000; n += 1) {
    const hour = Math.floor(checkOffset(`uid-${n}`) / HOUR);
    hours[hour] = (hours[hour] ?? 0) + 1;
  }
  assert.ok(Math.min(...hours) > 15 && Math.max(...hours) < 80, hours.join(' '));
});

test('a clock that was far ahead does not keep the check back for ever; one that is set back makes no second one', () => {
  const last = START + 400 * DAY_MS;
  assert.equal(isCheckDue('a', last, START), true);
  assert.equal(isCheckDue('a', START, START - HOUR), false);
});

test('an end is warned of 30, 7 and 1 days before', () => {
  const end = START + 60 * DAY_MS;
  const steps = Array.from({ length: 62 }, (_, day) => warningOf(end, START + day * DAY_MS));
  assert.deepEqual(
    [29, 30, 52, 53, 58, 59, 60].map((day) => steps[day]),
    [null, 30, 30, 7, 7, 1, null],
  );
  assert.equal(warningOf(null, START), null);
});

test('the replay of a ceiling counts a name once, and a denied one not at all', () => {
  const rows = ['a', 'b', 'a', 'c', 'd', 'c', 'b'].map((name, i) => ({ at: START + i, name }));
  assert.deepEqual(replayCeiling(rows, 2), {
    ...{ ceiling: 2, admitted: 4 },
    denied: [
      { name: 'c', first: START + 3, admissions: 2 },
      { name: 'd', first: START + 4, admissions: 1 },
    ],
  });
  assert.deepEqual(replayCeiling(rows, null).denied, []);
  assert.equal(replayCeiling(rows, 0).denied.length, 4);
});
