import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { certificateMaker } from '../../src/adapters/certificates/index.ts';
import { openListener } from '../../src/api/admission/index.ts';
import { ReviewTally } from '../../src/admission/index.ts';
import {
  CERTIFICATE_TIMES,
  secretSource,
  ServingCertificates,
  type CertificateMaker,
  type CertificateTimes,
} from '../../src/certificates/index.ts';
import { runs } from '../runs.ts';
import { FakeCluster, shake, SILENT } from './cluster.ts';

const YEAR = 365 * 86_400_000;
const TICK = 1_000;
const ROTATIONS = runs(50, 10);

/** Certificates of which less than a third is left from the start on, and all holding now: each authority is followed by the next. */
const oldFromTheStart: CertificateMaker = {
  makeAuthority: ({ from }) => certificateMaker.makeAuthority({ from: from - 3 * YEAR, to: from + YEAR }),
  makeServing: (authority, names, { from }) =>
    certificateMaker.makeServing(authority, names, {
      from: from - 3 * YEAR,
      to: new X509Certificate(authority.cert).validToDate.getTime(),
    }),
};

interface Outcome {
  readonly rotations: number;
  readonly handshakes: number;
  readonly failed: readonly string[];
}

/** How stale others may be, in ticks: an API server in whom it trusts, a replica in what it shows. */
interface Lag {
  readonly trust: number;
  readonly shown: number;
}

/**
 * Rotates under load: two API servers and three replicas, each as late as it may be, in another order each time; every tick they
 * shake hands while the leader writes.
 */
async function rotate(wanted: number, times: CertificateTimes, lag: Lag): Promise<Outcome> {
  const cluster = new FakeCluster();
  const own = cluster.own(oldFromTheStart, times);
  await own.run();
  const replicas = await Promise.all([0, 1, 2].map(() => openReplica(cluster)));
  const bundles: string[] = [];
  const failed: string[] = [];
  const seen = new Set<string>();
  let handshakes = 0;
  let random = 1;
  const pick = (below: number): number => (random = (random * 48_271) % 2_147_483_647) % below;
  try {
    for (let tick = 0; seen.size < wanted; tick += 1) {
      assert.ok(tick < wanted * 100, `${seen.size} rotations`);
      cluster.at += TICK;
      bundles.push(cluster.trusted());
      for (const [at, replica] of replicas.entries()) {
        if (tick - replica.took >= lag.shown || pick(lag.shown + 1) === at) {
          await replica.serving.run();
          replica.took = tick;
        }
      }
      // One API server is always as late as it may be. All of it goes on at once with what the leader does.
      const shaken = [lag.trust, pick(lag.trust + 1)].map(async (late) => {
        const trusted = bundles[Math.max(0, bundles.length - 1 - late)] ?? '';
        const fault = await shake((replicas[pick(3)] ?? assert.fail()).port, trusted);
        handshakes += 1;
        if (fault !== null) failed.push(fault);
      });
      await Promise.all([own.run(), ...shaken]);
      seen.add(cluster.pair()?.cert ?? '');
    }
  } finally {
    await Promise.all(replicas.map(({ close }) => close()));
  }
  return { rotations: seen.size, handshakes, failed };
}

async function openReplica(cluster: FakeCluster) {
  const listener = openListener({
    reviewer: {
      unready: () => null,
      review: () => assert.fail('nothing is reviewed here'),
      reviewOversized: () => assert.fail('nothing is reviewed here'),
    },
    tally: new ReviewTally(),
    certificate: null,
    log: SILENT,
    timers: { after: (_, run) => (run(), () => {}) },
  });
  const serving = new ServingCertificates({
    source: secretSource(cluster.secret),
    replace: (pair) => listener.replaceCertificate(pair),
    clock: { now: () => cluster.at },
    log: SILENT,
  });
  await serving.run();
  const { port } = await listener.listen('127.0.0.1', 0);
  return { serving, port, took: 0, close: () => listener.close(0, 0) };
}

const TIMES = { ...CERTIFICATE_TIMES, announce: 5 * TICK, settle: 2 * TICK, overlap: 8 * TICK };

test(
  `${ROTATIONS} rotations of the authority under load: no handshake fails`,
  { timeout: 900_000 },
  async (t) => {
    const { rotations, handshakes, failed } = await rotate(ROTATIONS, TIMES, { trust: 4, shown: 7 });
    t.diagnostic(`${rotations} rotations, ${handshakes} handshakes, ${failed.length} failed`);
    assert.deepEqual(failed.slice(0, 3), []);
    assert.equal(rotations, ROTATIONS);
    assert.ok(handshakes >= 9 * ROTATIONS, String(handshakes));
  },
);

test('the same load sees a trust that comes too late, and one that goes too early', async () => {
  const late = await rotate(10, { ...TIMES, announce: 0 }, { trust: 4, shown: 0 });
  assert.ok(late.failed.length > 0, 'an authority that signs before it is trusted');
  const early = await rotate(10, { ...TIMES, overlap: 0 }, { trust: 0, shown: 7 });
  assert.ok(early.failed.length > 0, 'an authority that is not trusted while its certificate is shown');
});
