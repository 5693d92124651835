import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WantedScans } from '../../src/admission/index.ts';
import { keptLog } from '../api/service.ts';

const digest = (n: number): string => `sha256:${n.toString(16).padStart(64, '0')}`;

function open() {
  const state = { now: 0, down: false, unknown: new Set<string>() };
  const requests: (readonly string[])[] = [];
  const log = keptLog();
  const scans = new WantedScans({
    request: async (digests) => {
      if (state.down) throw new Error('the database is down');
      requests.push(digests);
      return { unknown: digests.filter((one) => state.unknown.has(one)) };
    },
    clock: { now: () => state.now },
    log,
  });
  return { scans, state, requests, log };
}

test('a digest is asked for once, and again after ten minutes', async () => {
  const { scans, state, requests } = open();
  for (let i = 0; i < 3; i += 1) scans.want(digest(1));
  await scans.flush();
  scans.want(digest(1));
  await scans.flush();
  assert.deepEqual(requests, [[digest(1)]]);
  state.now = 600_000;
  scans.want(digest(1));
  await scans.flush();
  assert.equal(requests.length, 2);
});

test('at most 500 go at a time', async () => {
  const { scans, requests } = open();
  for (let i = 0; i < 1200; i += 1) scans.want(digest(i));
  await scans.flush();
  assert.deepEqual(
    requests.map(({ length }) => length),
    [500, 500, 200],
  );
});

test('what the database does not take waits, and what it does not know yet is asked for when it is met again', async () => {
  const { scans, state, requests, log } = open();
  state.down = true;
  scans.want(digest(1));
  await scans.flush();
  assert.equal(log.lines[0]?.level, 'warn');
  state.down = false;
  state.unknown.add(digest(1));
  await scans.flush();
  scans.want(digest(1));
  await scans.flush();
  assert.deepEqual(requests, [[digest(1)], [digest(1)]]);
});
