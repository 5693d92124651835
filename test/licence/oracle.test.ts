import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { DAY_MS, IpoError } from '../../src/base/index.ts';
import {
  issueCertificate,
  Licences,
  NO_CEILING,
  nextCheckAt,
  type CertificateBody,
  type LicenceStore,
  type StoredLicence,
} from '../../src/licence/index.ts';
import { toSigner } from '../../src/ledger/index.ts';
import { Meter, planNodes, type NodeStanding } from '../../src/nodes/index.ts';
import { listen } from '../ledger/parts.ts';
import { runs } from '../runs.ts';

const START = Date.parse('2026-11-20T00:00:00Z');
const SIGNAL = new AbortController().signal;
const SIGNER = toSigner(
  'acme',
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
);
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'].map((one) => `r.example/${one}`);
/** What runs is not new to the node ceiling. */
const RUNNING = NAMES.slice(0, 2);

/** A licence that is kept in memory, by all replicas. */
function memory(): LicenceStore & { kept: StoredLicence | null } {
  const nothing: StoredLicence = {
    clusterId: '',
    certificate: null,
    activatedAt: null,
    expiresAt: null,
    ceiling: { ...NO_CEILING, clusters: null },
    requestId: null,
    checkedAt: null,
    lastError: null,
  };
  const store = {
    kept: null as StoredLicence | null,
    read: async () => store.kept,
    async activate(_: string, { at, ...certificate }: Parameters<LicenceStore['activate']>[1]) {
      store.kept = { ...(store.kept ?? nothing), ...certificate, activatedAt: at };
    },
    async deactivate() {
      const had = typeof store.kept?.certificate === 'string';
      store.kept = { ...nothing, checkedAt: store.kept?.checkedAt ?? null };
      return had;
    },
    request: async () => undefined,
    async takeCheck(_: string, clusterId: string, last: number | null, at: number) {
      if ((store.kept?.checkedAt ?? null) !== last) return false;
      store.kept = { ...(store.kept ?? nothing), clusterId, checkedAt: at };
      return true;
    },
    async checkEnded(_: string, lastError: string | null) {
      store.kept = { ...(store.kept ?? nothing), lastError };
    },
    newestCheckpointAt: async () => null,
    clusters: async () => 1,
  };
  return store;
}

const count = fc.option(fc.integer({ min: 0, max: 5 }), { freq: 5 });
const arbitraryStep = fc.oneof(
  fc.record({ do: fc.constant('wait' as const), minutes: fc.integer({ min: 1, max: 16 * 1440 }) }),
  fc.record({ do: fc.constant('wait' as const), minutes: fc.integer({ min: 1, max: 1440 }) }),
  // Every replica of the cluster may take itself for the leader for a moment.
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('check' as const),
      replicas: fc.constantFrom([0], [1], [2], [0, 1], [0, 1, 2]),
    }),
  },
  fc.record({
    do: fc.constant('renew' as const),
    nodes: count,
    names: count,
    days: fc.option(fc.integer({ min: 1, max: 60 })),
  }),
  fc.record({ do: fc.constant('away' as const), is: fc.boolean() }),
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('poll' as const),
      nodes: fc.option(fc.integer({ min: 0, max: 8 }), { freq: 6 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('admit' as const),
      replica: fc.nat({ max: 2 }),
      name: fc.constantFrom(...NAMES),
    }),
  },
  fc.record({ do: fc.constant('deactivate' as const) }),
);

test('schedules of time, replicas, renewals and node counts agree with an oracle that counts by itself', async () => {
  const property = fc.asyncProperty(
    fc.uuid(),
    fc.array(arbitraryStep, { minLength: 5, maxLength: 80 }),
    fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 14 })),
    async (id, steps, days) => {
      const grace = days * DAY_MS;
      let now = START;
      let away = false;
      let offered: Omit<
        CertificateBody,
        'request_id' | 'issued_at' | 'id' | 'customer' | 'key_id' | 'cluster_id'
      > = {
        ceiling: { nodes: 3, image_names: 4, clusters: null },
        not_after: null,
      };
      let asked = 0;
      const store = memory();
      const clock = { now: () => now };
      const replicas = [0, 1, 2].map(
        () =>
          new Licences({
            cluster: 'eu',
            clusterId: async () => id,
            installationId: 'i',
            store,
            keys: [SIGNER],
            keyId: 'k1',
            service: {
              async certificateFor({ request_id }) {
                asked += 1;
                if (away) throw new IpoError('network', 'the licence service does not answer');
                const whose = { id: `c${asked}`, customer: 'Acme', key_id: 'k1', cluster_id: id, request_id };
                return issueCertificate({ ...whose, ...offered, issued_at: toTime(now) }, SIGNER);
              },
            },
            audit: { record: async () => undefined } as never,
            together: (act) => act(),
            warn: async () => undefined,
            clock,
            log: listen(),
          }),
      );
      let standing: NodeStanding | null = null;
      const counted = new Map<string, Set<string>>();
      const meters = replicas.map(
        () =>
          new Meter({
            cluster: 'eu',
            meter: { names: async (_, month) => new Set(counted.get(month)), follow: async () => false },
            nodes: { standing: async () => standing },
            ceilings: { current: async () => store.kept?.ceiling ?? NO_CEILING },
            running: { names: async () => RUNNING },
            clock,
            log: listen(),
          }),
      );

      // The oracle: the days that were checked, the certificate, the names of the month, and since when the nodes are over.
      const offset = createHash('sha256').update(id).digest().readUInt32BE(0) % DAY_MS;
      const dayOf = (at: number): number => Math.floor((at - offset) / DAY_MS);
      const checked = new Set<number>();
      let ceiling = { nodes: null as number | null, names: null as number | null };
      let expires: number | null = null;
      let isActive = false;
      let [month, seen] = ['', new Set<string>()];
      let over: number | null = null;
      let enforced: number | null = null;

      for (const step of steps) {
        if (step.do === 'wait') now += step.minutes * 60_000;
        if (step.do === 'away') away = step.is;
        if (step.do === 'renew')
          offered = {
            ceiling: { nodes: step.nodes, image_names: step.names, clusters: null },
            not_after: step.days === null ? null : toTime(now + step.days * DAY_MS),
          };
        if (step.do === 'deactivate') {
          await replicas[0]?.deactivate(null, 'x').catch(() => undefined);
          ceiling = { nodes: null, names: null };
          [expires, isActive] = [null, false];
        }
        if (step.do === 'check') {
          const before = asked;
          await Promise.all(step.replicas.map(async (one) => replicas[one]?.run(SIGNAL)));
          const isDue = !checked.has(dayOf(now));
          assert.equal(
            asked - before,
            isDue ? 1 : 0,
            'one check for each day of the cluster, whoever makes it',
          );
          checked.add(dayOf(now));
          const end = offered.not_after === null ? null : Date.parse(offered.not_after);
          if (isDue && !away && (end === null || end > now)) {
            ceiling = { nodes: offered.ceiling.nodes ?? null, names: offered.ceiling.image_names };
            [expires, isActive] = [end, true];
          }
          const view = await replicas[step.replicas[0] ?? 0]?.view();
          const ended: boolean = expires !== null && expires <= now;
          const running: string = ended ? 'expired' : 'active';
          assert.equal(view?.state, isActive ? running : 'none');
          const next = nextCheckAt(id, store.kept?.checkedAt ?? null, now);
          assert.equal(next, (dayOf(now) + 1) * DAY_MS + offset);
        }
        if (step.do === 'poll' && step.nodes !== null) {
          const limit: number | null = store.kept?.ceiling.nodes ?? null;
          assert.equal(limit, ceiling.nodes, 'what ran out keeps its ceilings');
          const plan = planNodes(standing, {
            cluster: 'eu',
            count: step.nodes,
            ceiling: limit,
            at: now,
            grace,
          });
          ({ standing } = plan);
          const told = plan.notices.map(({ event }) => event).filter((event) => event !== 'nodes_80');
          const expected: string[] = [];
          if (limit === null || step.nodes <= limit) {
            if (over !== null) expected.push('nodes_cleared');
            [over, enforced] = [null, null];
          } else {
            if (over === null) expected.push('nodes_over');
            over ??= now;
            if (enforced === null && now - over >= grace) {
              expected.push('nodes_enforced');
              enforced = now;
            }
          }
          assert.deepEqual(told, expected, 'each transition is told once');
          const begun = plan.notices.find(({ event }) => event === 'nodes_over')?.payload;
          if (begun !== undefined) assert.equal(begun['enforced_from'], toTime(now + grace));
          assert.equal(standing.overSince, over, 'the grace begins once');
          assert.equal(standing.state === 'enforced', enforced !== null);
        }
        if (step.do === 'admit') {
          const meter = meters[step.replica];
          const date = new Date(now);
          const current = `${date.getUTCFullYear()}-${String(date.getUTCMonth() + 1).padStart(2, '0')}`;
          if (current !== month) [month, seen] = [current, new Set()];
          await meter?.refresh();
          const refusal = meter?.refusal(step.name, now) ?? null;
          let expected: string | null = null;
          if (!seen.has(step.name)) {
            if (enforced !== null && !RUNNING.includes(step.name))
              expected = `node ceiling of ${standing?.ceiling} exceeded`;
            if (ceiling.names !== null && seen.size >= ceiling.names)
              expected = `monthly allowance of ${ceiling.names} image names exceeded`;
          }
          assert.equal(refusal, expected);
          if (expected !== null) continue;
          seen.add(step.name);
          meter?.admitted([step.name], now);
          counted.set(month, new Set(seen)); // as the ledger tells the other replicas
        }
      }
    },
  );
  await fc.assert(property, { numRuns: runs(250) });
});

function toTime(at: number): string {
  return new Date(at).toISOString().replace('.000Z', 'Z');
}
