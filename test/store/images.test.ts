import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { byCodeUnit, formatTime } from '../../src/base/index.ts';
import { NO_FACTS } from '../../src/facts/index.ts';
import type { Finding } from '../../src/findings/index.ts';
import {
  IMAGE_SORTS,
  IMAGE_STATES,
  openImages,
  stateOf,
  type ImageItem,
  type ImageQuery,
  type Images,
  type ImageState,
  type PoliciesInForce,
} from '../../src/inventory/index.ts';
import { judgeCompliance, type Place } from '../../src/inventory/compliance.ts';
import { summarise } from '../../src/inventory/judge-image.ts';
import { attentionOf, severityWeight } from '../../src/inventory/state.ts';
import type { Policy } from '../../src/policy/index.ts';
import { readFacts } from '../../src/store/facts/facts.ts';
import { imageStore } from '../../src/store/images/images.ts';
import { recordScan } from '../../src/store/scans/scans.ts';
import { triageStore } from '../../src/store/scans/triage.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { policyOf, toSpec } from '../decision/arbitraries.ts';
import { runs } from '../runs.ts';
import { forEachEngine } from './engines.ts';
import { append, AT, digestOf, finding, scanOf } from './image-records.ts';

const WHOLE: ImageQuery = {
  state: null,
  search: null,
  sort: 'attention',
  descending: true,
  limit: null,
  offset: 0,
};

function policy(name: string, spec: Record<string, unknown>): Policy {
  return { ...policyOf(toSpec(spec)), name, revision: `${name} ${JSON.stringify(spec)}` };
}

/** Inventory is the service over a store, with policies and a clock that a test sets. */
function inventory(
  store: Store,
  policies: readonly Policy[] = [],
): Images & { policies: readonly Policy[]; at: number } {
  const settings = { policies, at: AT };
  const inForce = async (): Promise<PoliciesInForce> => ({
    policies: settings.policies,
    key: JSON.stringify(settings.policies.map(({ revision }) => revision)),
  });
  const images = openImages({
    store: imageStore(store),
    policies: inForce,
    coldImagePolicy: 'AllowAndScan',
    clock: { now: () => settings.at },
  });
  return Object.assign(settings, images);
}

async function scan(
  store: Store,
  n: number,
  findings: readonly Finding[] | null,
  names: readonly string[] = [],
  at = AT,
): Promise<void> {
  const scan = scanOf(findings, { scannedAt: formatTime(at) });
  await store.write((transaction) =>
    recordScan(transaction, { digest: digestOf(n), names, source: null, scan, at }),
  );
}

const stateIn = async (images: Images, n: number): Promise<ImageState> =>
  (await images.detail(digestOf(n))).item.state;

forEachEngine('the states of images', (engine) => {
  test('an image goes through its states as reviews, scans, policies and triage decide', async (t) => {
    const store = await engine.open(t);
    const images = inventory(store, [policy('base', { enforcement: 'Audit' })]);
    await append(store, [{ digest: digestOf(1) }]);
    assert.equal(await stateIn(images, 1), 'Unscanned');

    await scan(store, 1, [finding('CVE-1', 'HIGH')]);
    assert.equal(await stateIn(images, 1), 'Compliant');

    images.policies = [policy('base', { enforcement: 'Audit', severityThreshold: 'HIGH' })];
    const outside = await images.detail(digestOf(1));
    assert.equal(outside.item.state, 'Not compliant');
    assert.match(
      outside.explanation,
      /^the next admission would be denied if policy base enforced: vulnerabilities at or above HIGH: CVE-1$/,
    );

    images.policies = [policy('base', { enforcement: 'Enforce', severityThreshold: 'HIGH' })];
    assert.match(
      (await images.detail(digestOf(1))).explanation,
      /^the next admission would be denied by policy base: /,
    );

    const decision = await triageStore(store).create({
      digest: digestOf(1),
      cve: 'CVE-1',
      severity: 'HIGH',
      reason: 'not reachable',
      triagedBy: 'ann',
      accountId: null,
      createdAt: AT,
      until: AT + 1000,
    });
    assert.equal(await stateIn(images, 1), 'Compliant');
    images.at = AT + 999;
    assert.equal(await stateIn(images, 1), 'Compliant');
    images.at = AT + 1000;
    assert.equal(await stateIn(images, 1), 'Not compliant');
    images.at = AT;
    await triageStore(store).end(decision.id, AT + 1);
    images.at = AT + 2;
    assert.equal(await stateIn(images, 1), 'Not compliant');

    await append(store, [
      {
        digest: digestOf(1),
        allowed: false,
        reason: 'vulnerabilities at or above HIGH: CVE-1',
        label: 'threshold',
      },
    ]);
    const blocked = await images.detail(digestOf(1));
    assert.equal(blocked.item.state, 'Blocked');
    assert.match(blocked.explanation, /^its last admission was denied: vulnerabilities/);

    // The state follows the last review, whatever the policies say since.
    images.policies = [];
    assert.equal(await stateIn(images, 1), 'Blocked');
    await append(store, [{ digest: digestOf(1) }]);
    assert.equal(await stateIn(images, 1), 'Compliant');
  });

  test('a scan that found no packages, or an older one, never makes an image look clean', async (t) => {
    const store = await engine.open(t);
    const images = inventory(store, [policy('base', { severityThreshold: 'LOW' })]);
    await append(store, [{ digest: digestOf(1) }]);
    await scan(store, 1, null);
    assert.equal(await stateIn(images, 1), 'Unscanned');
    await scan(store, 1, [finding('CVE-1', 'LOW')], [], AT);
    assert.equal(await stateIn(images, 1), 'Not compliant');
    await scan(store, 1, null, [], AT + 1000);
    await scan(store, 1, [], [], AT - 1000);
    assert.equal(await stateIn(images, 1), 'Not compliant');
    await scan(store, 1, [], [], AT + 2000);
    assert.equal(await stateIn(images, 1), 'Compliant');
  });

  test('an image is judged by the policies over every namespace that it stands in, as it stands there', async (t) => {
    const store = await engine.open(t);
    const images = inventory(store, [
      policy('pay', { targetNamespaces: ['payments'], allowedRegistries: ['quay.io'] }),
      policy('web', { targetNamespaces: ['shop'], deploymentContext: { mode: 'Escalate' } }),
    ]);
    await scan(store, 1, [finding('CVE-1', 'HIGH')]);
    await append(store, [
      { digest: digestOf(1), namespace: 'dev' },
      { digest: digestOf(1), namespace: 'shop', signals: [] },
    ]);
    assert.equal(await stateIn(images, 1), 'Compliant');
    await append(store, [{ digest: digestOf(1), namespace: 'shop', signals: ['root'] }]);
    assert.match((await images.detail(digestOf(1))).explanation, /context root: vulnerabilities/);
    await append(store, [{ digest: digestOf(1), namespace: 'shop', signals: [] }]);
    assert.equal(await stateIn(images, 1), 'Compliant');
    await append(store, [{ digest: digestOf(1), namespace: 'payments' }]);
    const detail = await images.detail(digestOf(1));
    assert.match(detail.explanation, /registry not allowed: ghcr.io/);
    assert.deepEqual(detail.item.namespaces, ['dev', 'payments', 'shop']);
    assert.deepEqual(
      detail.answers.map(({ policy, verdict }) => [policy, verdict]),
      [
        ['pay', 'refuse'],
        ['web', 'admit'],
      ],
    );
  });

  test('a digest that only the reference names is the same image, and new names come into its facts', async (t) => {
    const store = await engine.open(t);
    const images = inventory(store);
    await scan(store, 1, [], ['ghcr.io/acme/web:1']);
    await images.refresh();
    await append(store, [{ digest: null, image: `ghcr.io/acme/web:2@${digestOf(1)}` }]);
    const { item, facts } = await images.detail(digestOf(1));
    assert.equal(item.lastReview?.image, `ghcr.io/acme/web:2@${digestOf(1)}`);
    assert.deepEqual(facts.names, ['ghcr.io/acme/web:1', 'ghcr.io/acme/web:2']);
  });

  test('what is not known is told, and never makes an image compliant', async (t) => {
    const store = await engine.open(t);
    const images = inventory(store, [
      policy('base', { signature: { required: true, identities: [{ identity: 'a@acme.example' }] } }),
    ]);
    await scan(store, 1, [], ['ghcr.io/acme/web:1']);
    const detail = await images.detail(digestOf(1));
    assert.equal(detail.item.state, 'Not compliant');
    assert.equal(detail.explanation, 'policy base cannot be answered: its signatures were never recorded');
    await assert.rejects(images.detail(digestOf(2)), { code: 'not_found' });
    await assert.rejects(images.detail('latest'), { code: 'invalid_request' });
  });

  test('two replicas that follow one ledger at once take each row once, and judge the same', async (t) => {
    const store = await engine.open(t);
    const [a, b] = [inventory(store), inventory(store)];
    await append(
      store,
      Array.from({ length: 30 }, (_, n) => ({ digest: digestOf(n % 7), allowed: n % 3 > 0 })),
    );
    const lists = await Promise.all([a, b, a, b].map((images) => images.list(WHOLE)));
    for (const list of lists) assert.deepEqual(list, lists[0]);
    assert.equal(lists[0]?.total, 7);
  });
});

const NAMESPACES = ['shop', 'payments', 'ci'];
const POLICIES = [
  policy('a', { enforcement: 'Enforce', severityThreshold: 'CRITICAL' }),
  policy('b', { targetNamespaces: ['shop'], severityThreshold: 'MEDIUM' }),
  policy('c', { targetNamespaces: ['payments'], denyLatestTag: true }),
  policy('d', { targetNamespaces: ['ci'], admissionTiming: 'DenyUntilScanned' }),
];
const NAMES = [
  'ghcr.io/acme/web:1',
  'ghcr.io/acme/Web_%:latest',
  'docker.io/library/nginx:latest',
  'quay.io/a\\b:2',
];

interface World {
  readonly rows: readonly {
    readonly n: number;
    readonly namespace: string;
    readonly image: string;
    readonly allowed: boolean;
  }[];
  readonly scans: readonly {
    readonly n: number;
    readonly findings: readonly Finding[] | null;
    readonly name: string | null;
    readonly hour: number | null;
  }[];
  readonly policies: readonly Policy[];
}

const image = fc.nat(7);
const world: fc.Arbitrary<World> = fc.record({
  rows: fc.array(
    fc.record({
      n: image,
      namespace: fc.constantFrom(...NAMESPACES),
      image: fc.constantFrom('ghcr.io/acme/web:1', 'nginx', 'UPPER bad'),
      allowed: fc.boolean(),
    }),
    { maxLength: 20 },
  ),
  scans: fc.uniqueArray(
    fc.record({
      n: image,
      findings: fc.option(
        fc
          .array(
            fc.tuple(fc.constantFrom('CVE-1', 'CVE-2'), fc.constantFrom('CRITICAL', 'HIGH', 'MEDIUM', 'LOW')),
            { maxLength: 3 },
          )
          .map((list) => list.map(([cve, severity]) => finding(cve, severity as Finding['severity']))),
        { freq: 5 },
      ),
      name: fc.option(fc.constantFrom(...NAMES)),
      hour: fc.option(fc.nat(5)),
    }),
    { selector: ({ n }) => n, maxLength: 8 },
  ),
  policies: fc.subarray(POLICIES),
});
const query: fc.Arbitrary<ImageQuery> = fc.record({
  state: fc.option(fc.constantFrom(...IMAGE_STATES)),
  search: fc.option(
    fc.constantFrom('web', 'WEB_', '%', '_', '\\', 'nginx', ':', '0003', 'sha256:', 'no such'),
  ),
  sort: fc.constantFrom(...IMAGE_SORTS),
  descending: fc.boolean(),
  limit: fc.option(fc.integer({ min: 1, max: 4 })),
  offset: fc.nat(5),
});

forEachEngine('the list of images', (engine) => {
  test('a search that finds hundreds is paged as the whole list has them, in every order and direction', async (t) => {
    const store = await engine.open(t);
    const images = inventory(store);
    const groups = ['alpha', 'media', 'zeta'];
    await append(
      store,
      Array.from({ length: 900 }, (_, n) => ({
        digest: digestOf(n + 1),
        image: `ghcr.io/${groups[n % 3]}/app-${(n * 7) % 900}:1`,
        allowed: n % 5 !== 0,
      })),
    );
    for (const sort of IMAGE_SORTS)
      for (const descending of [false, true])
        for (const state of [null, 'Blocked'] as const) {
          const query = { ...WHOLE, sort, descending, state };
          const whole = (await images.list(query)).items.filter(({ name }) => name.includes('media'));
          const paged: string[] = [];
          for (let offset = 0; offset < 320; offset += 80) {
            const page = await images.list({ ...query, search: 'MEDIA', limit: 80, offset });
            assert.equal(page.total, whole.length);
            paged.push(...page.items.map(({ digest }) => digest));
          }
          assert.deepEqual(
            paged,
            whole.map(({ digest }) => digest),
            `${sort} ${descending} ${state}`,
          );
        }
  });

  test('states are exclusive and complete, and filter, search, sort and pages are those of a plain model', async (t) => {
    const store = await engine.open(t);
    const images = inventory(store);
    const known = new Map<string, { rows: { namespace: string; image: string; allowed: boolean }[] }>();
    await fc.assert(
      fc.asyncProperty(
        world,
        fc.array(query, { minLength: 1, maxLength: 6 }),
        async ({ rows, scans, policies }, queries) => {
          images.policies = policies;
          for (const { n, findings, name, hour } of scans) {
            await scan(store, n, findings, name === null ? [] : [name], AT + (hour ?? 0) * 1000 + known.size);
            if (!known.has(digestOf(n))) known.set(digestOf(n), { rows: [] });
          }
          if (rows.length > 0)
            await append(
              store,
              rows.map(({ n, ...row }) => ({ ...row, digest: digestOf(n) })),
            );
          for (const { n, ...row } of rows) {
            const one = known.get(digestOf(n)) ?? { rows: [] };
            known.set(digestOf(n), one);
            one.rows.push(row);
          }
          const all = (await images.list(WHOLE)).items;
          assert.equal(all.length, known.size);
          const counts = Object.fromEntries(IMAGE_STATES.map((state) => [state, 0])) as Record<
            ImageState,
            number
          >;
          for (const item of all) {
            const { rows: own } = known.get(item.digest) ?? { rows: [] };
            const facts = (await readFacts(store.read, item.digest)) ?? { ...NO_FACTS, digest: item.digest };
            const newest = new Map(own.map((row) => [row.namespace, row]));
            const places: Place[] = [...newest]
              .toSorted(([a], [b]) => byCodeUnit(a, b))
              .map(([namespace, { image }]) => ({ namespace, image, signals: null, exposedBy: null }));
            const nowhere: Place = { namespace: null, image: item.name, signals: null, exposedBy: null };
            const { compliant, next } = judgeCompliance(
              places.length > 0 ? places : [nowhere],
              policies,
              facts,
              'AllowAndScan',
              AT,
            );
            const state = stateOf({
              lastAllowed: own.at(-1)?.allowed ?? null,
              scanned: facts.scan !== null,
              compliant,
            });
            assert.equal(item.state, state);
            assert.deepEqual(item.next, next);
            assert.deepEqual(item.scan, summarise(facts, AT));
            assert.deepEqual(
              item.namespaces,
              places.map(({ namespace }) => namespace),
            );
            assert.equal(item.lastReview?.allowed, own.at(-1)?.allowed);
            counts[state] += 1;
          }
          const searched = new Map(all.map((item) => [item.digest, item]));
          for (const one of queries) {
            const list = await images.list(one);
            const expected = modelled([...searched.values()], one, await namesOf(store));
            assert.deepEqual(
              list.items.map(({ digest }) => digest),
              expected.page,
              JSON.stringify(one),
            );
            assert.equal(list.total, expected.total);
            assert.deepEqual({ ...list.states }, counts);
          }
        },
      ),
      { numRuns: runs(25) },
    );
  });
});

async function namesOf(store: Store): Promise<Map<string, string[]>> {
  const rows = await store.read.selectFrom('image_names').selectAll().execute();
  return new Map(
    [...Map.groupBy(rows, ({ digest }) => digest)].map(([digest, own]) => [
      digest,
      own.map(({ name }) => name),
    ]),
  );
}

function modelled(
  items: readonly ImageItem[],
  query: ImageQuery,
  names: Map<string, string[]>,
): { page: string[]; total: number } {
  const part = query.search?.toLowerCase();
  const found = items.filter(
    (item) =>
      (query.state === null || item.state === query.state) &&
      (part === undefined ||
        [...(names.get(item.digest) ?? []), item.digest].some((text) => text.toLowerCase().includes(part))),
  );
  const weight = ({ scan }: ImageItem): number => (scan === null ? 0 : severityWeight(scan.findings));
  const keys: Record<ImageQuery['sort'], (item: ImageItem) => number | string> = {
    attention: (item) => attentionOf(item.state, weight(item)),
    name: ({ name }) => name,
    severity: weight,
    findings: ({ scan }) => Object.values(scan?.findings ?? {}).reduce((sum, count) => sum + count, 0),
    last_seen: ({ lastReview }) => lastReview?.rowId ?? 0,
    scanned: ({ scan }) => scan?.scannedAt ?? -1,
  };
  const key = keys[query.sort];
  const compare = <T extends number | string>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);
  // One direction is the other read backwards; names ascend where all else descends.
  const way = query.sort === 'name' ? 1 : -1;
  const sorted = found.toSorted(
    (a, b) => way * compare(key(a), key(b)) || compare(a.name, b.name) || compare(a.digest, b.digest),
  );
  if ((query.sort === 'name') === query.descending) sorted.reverse();
  const end = query.limit === null ? undefined : query.offset + query.limit;
  return { page: sorted.slice(query.offset, end).map(({ digest }) => digest), total: found.length };
}
