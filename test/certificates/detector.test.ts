import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { certificateMaker } from '../../src/adapters/certificates/index.ts';
import { DAY_MS } from '../../src/base/index.ts';
import {
  DetectorCertificates,
  noticeOf,
  readDetectorData,
  type KeptDetector,
  type KeptSecret,
} from '../../src/certificates/index.ts';

const START = Date.UTC(2026, 10, 20);
const silent = { debug() {}, info() {}, warn() {}, error() {} };

function stage(names: readonly string[] = ['ipo-detector.ipo.svc', '10.0.0.7']) {
  let held: KeptSecret | null = null;
  let writes = 0;
  const at = { now: START };
  const write = (data: Readonly<Record<string, string>>): boolean => {
    writes += 1;
    held = { data: { ...data }, version: String(writes) };
    return true;
  };
  const own = new DetectorCertificates({
    secret: {
      read: async () => held,
      create: async (data) => held === null && write(data),
      replace: async (data, version) => held?.version === version && write(data),
    },
    ...{ maker: certificateMaker, names, clock: { now: () => at.now }, log: silent },
    isLeader: () => true,
  });
  const run = async (day: number): Promise<KeptDetector> => {
    at.now = START + day * DAY_MS;
    await own.run();
    const kept = readDetectorData(held?.data ?? {});
    assert.ok(kept);
    return kept;
  };
  const spoil = (data: Readonly<Record<string, string>>): void => {
    held = { data: { ...held?.data, ...data }, version: 'x' };
  };
  return { run, spoil, writes: () => writes };
}

test('the next certificate of the detector is made in time, told before, and both are accepted until the old one ends', async () => {
  const { run } = stage();
  const first = await run(0);
  assert.equal(noticeOf(first, START).message, null);
  assert.match(
    noticeOf(first, START + 300 * DAY_MS).message ?? '',
    /a new certificate .* is made in 5 days; both are accepted for 60 days/,
  );
  const early = await run(304);
  assert.equal(early.client.cert, first.client.cert);
  const next = await run(305);
  assert.notEqual(next.client.cert, first.client.cert);
  assert.equal(next.previous?.cert, first.client.cert);
  assert.equal(next.authority.cert, first.authority.cert);
  assert.match(
    noticeOf(next, START + 306 * DAY_MS).message ?? '',
    /accepted for 59 days more: give the detector the files/,
  );
  const late = await run(366);
  assert.deepEqual([late.previous, late.client.cert], [null, next.client.cert]);
});

test('the certificate of the listener is renewed while that of the detector and the authority stay', async () => {
  const { run, writes } = stage();
  const first = await run(0);
  const before = writes();
  assert.equal((await run(30)).server.cert, first.server.cert);
  assert.equal(writes(), before);
  const renewed = await run(61);
  assert.notEqual(renewed.server.cert, first.server.cert);
  assert.deepEqual([renewed.client.cert, renewed.authority.cert], [first.client.cert, first.authority.cert]);
  const leaf = new X509Certificate(renewed.server.cert);
  assert.ok(leaf.checkHost('ipo-detector.ipo.svc') !== undefined && leaf.checkIP('10.0.0.7') !== undefined);
});

test('a Secret that holds something else is recreated, and a name more gives the listener another certificate', async () => {
  const { run, spoil } = stage();
  const first = await run(0);
  spoil({ 'client.key': 'no key' });
  const second = await run(0);
  assert.notEqual(second.authority.cert, first.authority.cert);
  assert.equal(new X509Certificate(second.client.cert).keyUsage?.includes('1.3.6.1.5.5.7.3.2'), true);
});
