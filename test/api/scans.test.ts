import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { ImageDetailBody, ImageListBody } from '../../src/api/contract/images.ts';
import { importedScansSchema, type ImportedScansBody } from '../../src/api/contract/scans.ts';
import type { VulnerabilityBody } from '../../src/api/contract/vulnerabilities.ts';
import type { Store } from '../../src/store/index.ts';
import { forEachEngine } from '../store/engines.ts';
import { append, digestOf, factsText } from '../store/image-records.ts';
import { startInventory } from './inventory.ts';

const DATA = new URL('../../../shared/data/trivy/', import.meta.url);
const skip = existsSync(new URL('INDEX.json', DATA)) ? false : 'the shared data is not here';

/** What `trivy/INDEX.json` says of a report. */
interface Expected {
  readonly os: { readonly Family: string; readonly Name: string; readonly EOSL?: boolean } | null;
  readonly repoDigest: string | null;
  readonly findings: number;
  readonly bySeverity: Readonly<Record<string, number>>;
  readonly resultTypes: readonly string[];
}

function trivy(
  change: Record<string, unknown> = {},
  vulnerabilities: readonly Record<string, unknown>[] | null = [],
): Record<string, unknown> {
  return {
    SchemaVersion: 2,
    CreatedAt: '2026-11-20T01:00:00Z',
    ArtifactName: 'ghcr.io/acme/web:1',
    ArtifactType: 'container_image',
    Metadata: {
      OS: { Family: 'alpine', Name: '3.10.9', EOSL: true },
      RepoDigests: [`ghcr.io/acme/web@${digestOf(1)}`],
      RepoTags: ['ghcr.io/acme/web:1'],
    },
    Results: vulnerabilities === null ? [] : [{ Class: 'os-pkgs', Vulnerabilities: vulnerabilities }],
    ...change,
  };
}

const FOUND = [
  {
    VulnerabilityID: 'CVE-1',
    PkgName: 'openssl',
    InstalledVersion: '1.0',
    FixedVersion: '1.1',
    Severity: 'CRITICAL',
  },
];

async function open(t: Parameters<typeof startInventory>[0], store: Store) {
  const api = await startInventory(t, store);
  const send = async (
    body: unknown,
    query: Record<string, string> = {},
  ): Promise<ImportedScansBody['scans']> => {
    const answer = await api.as('deployer').json<ImportedScansBody>('POST /scans', { body, query });
    importedScansSchema.parse(answer.body);
    return answer.body.scans;
  };
  return { ...api, send };
}

forEachEngine('POST /scans', (engine) => {
  test('records a report for its digest, with what follows from it and an audit entry', async (t) => {
    const store = await engine.open(t);
    const { send, as, audited } = await open(t, store);
    assert.deepEqual(await send(trivy({}, FOUND)), [
      {
        digest: digestOf(1),
        image: 'ghcr.io/acme/web:1',
        names: ['ghcr.io/acme/web:1'],
        scanned_at: '2026-11-20T01:00:00Z',
        db_updated_at: null,
        os: { family: 'alpine', name: '3.10.9' },
        end_of_life: true,
        findings: { critical: 1, high: 0, medium: 0, low: 0, unknown: 0 },
        outcome: 'current',
        replaced: false,
      },
    ]);
    const { body } = await as('viewer').json<ImageDetailBody>('GET /images/{digest}', {
      params: { digest: digestOf(1) },
    });
    assert.deepEqual(
      body.findings?.map(({ cve, fixed }) => [cve, fixed]),
      [['CVE-1', '1.1']],
    );
    assert.deepEqual(await audited(), [['scan_import', digestOf(1), 'a deployer']]);
    assert.equal((await factsText(store, digestOf(1)))?.facts_version, 1);
    // The same report once more is the same scan.
    assert.deepEqual(
      (await send(trivy({}, FOUND))).map(({ outcome, replaced }) => [outcome, replaced]),
      [['current', true]],
    );
    assert.equal((await factsText(store, digestOf(1)))?.facts_version, 1);
    assert.equal((await store.read.selectFrom('scans').selectAll().execute()).length, 1);
  });

  test('neither an older report nor one without a result of packages replaces the scan in use', async (t) => {
    const store = await engine.open(t);
    const { send, as } = await open(t, store);
    await append(store, [{ digest: digestOf(1) }]);
    const states = async (): Promise<unknown> =>
      (await as('viewer').json<ImageListBody>('GET /images')).body.items.map(({ state, scan }) => [
        state,
        scan?.findings.critical,
      ]);
    assert.deepEqual(
      (await send(trivy({ CreatedAt: '2026-11-20T02:00:00Z' }, null))).map(({ outcome, findings }) => [
        outcome,
        findings,
      ]),
      [['incomplete', null]],
    );
    assert.deepEqual(await states(), [['Unscanned', undefined]]);
    await send(trivy({}, FOUND));
    assert.deepEqual(
      (await send(trivy({ CreatedAt: '2026-11-20T00:00:00Z' }))).map(({ outcome, replaced }) => [
        outcome,
        replaced,
      ]),
      [['older', false]],
    );
    await send(trivy({ CreatedAt: '2026-11-20T03:00:00Z' }, null));
    assert.deepEqual(await states(), [['Compliant', 1]]);
    assert.deepEqual(
      (await send(trivy({ CreatedAt: '2026-11-20T03:00:00Z' }))).map(({ outcome, replaced }) => [
        outcome,
        replaced,
      ]),
      [['current', true]],
    );
    assert.deepEqual(await states(), [['Compliant', 0]]);
  });

  test('who imports a report may say how old its database was, and only what can be true', async (t) => {
    const store = await engine.open(t);
    const { send, as } = await open(t, store);
    const given = async (db_updated_at: string, change: Record<string, unknown> = {}) =>
      (await send(trivy(change, FOUND), { db_updated_at })).map((scan) => [scan.outcome, scan.db_updated_at]);
    assert.deepEqual(await given('2026-11-20T02:00:00+02:00'), [['current', '2026-11-20T00:00:00Z']]);
    const { body } = await as('viewer').json<ImageDetailBody>('GET /images/{digest}', {
      params: { digest: digestOf(1) },
    });
    assert.equal(body.scan?.scanner?.db_updated_at, '2026-11-20T00:00:00Z');
    const older = { CreatedAt: '2026-11-20T02:00:00Z' };
    assert.deepEqual(await given('2026-08-22T00:00:00Z', older), [['older', '2026-08-22T00:00:00Z']]);
    const Trivy = { Version: '0.72.0', VulnerabilityDB: { UpdatedAt: '2026-11-20T00:30:00Z' } };
    assert.deepEqual(await given('2026-11-20T00:30:00.000Z', { ...older, Trivy }), [
      ['current', '2026-11-20T00:30:00Z'],
    ]);
    for (const [value, change, says] of [
      ['yesterday', {}, /db_updated_at "yesterday" is not an RFC 3339 time/],
      ['2999-01-01T00:00:00Z', {}, /db_updated_at 2999-01-01T00:00:00Z is in the future/],
      ['2026-11-20T01:00:01Z', {}, /later than the scan, which was made at 2026-11-20T01:00:00Z/],
      [
        '2026-11-19T00:00:00Z',
        { Trivy },
        /the report says that its database was made at 2026-11-20T00:30:00Z/,
      ],
    ] as const)
      await assert.rejects(given(value, change), says);
  });

  test('keeps what a person asks of a finding, and tells it of the image and in the list of vulnerabilities', async (t) => {
    const store = await engine.open(t);
    const { send, as } = await open(t, store);
    const layer = digestOf(7);
    const vector = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H';
    const whole = {
      ...FOUND[0],
      ...{
        Title: 'openssl: overflow',
        PrimaryURL: 'https://avd.aquasec.com/nvd/cve-1',
        SeveritySource: 'nvd',
      },
      ...{ PkgPath: 'app/lib.so', Layer: { DiffID: layer } },
      CVSS: { nvd: { V3Vector: vector, V3Score: 9.8 } },
    };
    const Results = [{ Target: 'debian 13', Class: 'os-pkgs', Vulnerabilities: [whole, ...FOUND] }];
    await send(trivy({ Results }));
    const cvss = { version: '3.1', score: 9.8, vector, source: 'nvd' };
    const about = { title: 'openssl: overflow', cvss, url: 'https://avd.aquasec.com/nvd/cve-1' };
    const { body } = await as('viewer').json<ImageDetailBody>('GET /images/{digest}', {
      params: { digest: digestOf(1) },
    });
    assert.deepEqual(
      body.findings?.map(({ title, cvss: rating, url, found_at }) => ({
        title,
        cvss: rating,
        url,
        found_at,
      })),
      [
        { ...about, found_at: { target: 'debian 13', path: 'app/lib.so', layer } },
        {
          ...{ title: undefined, cvss: undefined, url: undefined },
          found_at: { target: 'debian 13', path: null, layer: null },
        },
      ],
    );
    const { body: list } = await as('viewer').json<{ items: VulnerabilityBody[] }>('GET /vulnerabilities');
    const [{ title, cvss: rating, url } = {} as Partial<VulnerabilityBody>] = list.items;
    assert.deepEqual({ title, cvss: rating, url }, about);
  });

  test('a list of objects of trivy-operator is recorded for each digest, or not at all', async (t) => {
    const store = await engine.open(t);
    const { send, audited } = await open(t, store);
    const object = (digest: string | undefined): unknown => ({
      apiVersion: 'aquasecurity.github.io/v1alpha1',
      kind: 'VulnerabilityReport',
      report: {
        artifact: { repository: 'acme/web', tag: '1', digest },
        registry: { server: 'ghcr.io' },
        os: { family: 'debian', name: '13' },
        vulnerabilities: [],
      },
    });
    const list = (digests: readonly (string | undefined)[]): unknown => ({
      apiVersion: 'v1',
      kind: 'List',
      items: digests.map(object),
    });
    await assert.rejects(send(list([digestOf(1), undefined])), { code: 'invalid_request' });
    assert.deepEqual(await audited(), []);
    assert.deepEqual(
      (await send(list([digestOf(2), digestOf(1)]))).map(({ digest, outcome }) => [digest, outcome]),
      [
        [digestOf(2), 'current'],
        [digestOf(1), 'current'],
      ],
    );
    assert.equal((await audited()).length, 2);
  });

  test('a report that says nothing of its digest needs it, and an invalid report is refused with the reason', async (t) => {
    const store = await engine.open(t);
    const { send, as, audited } = await open(t, store);
    const archive = trivy({ ArtifactName: 'web.tar', Metadata: {} }, FOUND);
    for (const [body, query, code, message] of [
      [archive, {}, 'invalid_request', /names no registry digest/],
      [trivy(), { digest: digestOf(2) }, 'invalid_request', /not about/],
      [trivy({ CreatedAt: '2027-01-01T00:00:00Z' }), {}, 'invalid_report', /is in the future/],
      [
        trivy({ ArtifactType: 'filesystem' }),
        { digest: digestOf(2) },
        'invalid_report',
        /is of type "filesystem", not of a container image/,
      ],
      [{ SchemaVersion: 1 }, {}, 'invalid_report', /schema version 1/],
      [{ hello: 1 }, {}, 'invalid_report', /not a report of Trivy, Grype or trivy-operator/],
      [[], {}, 'invalid_report', /a list, not a report/],
      [7, {}, 'invalid_request', /must be a report/],
      [undefined, {}, 'invalid_request', /needs a body|must be a report/],
    ] as const)
      await assert.rejects(send(body, query), (error: Error & { code?: string }) => {
        assert.equal(error.code, code, error.message);
        assert.match(error.message, message);
        return true;
      });
    await assert.rejects(as('viewer').json('POST /scans', { body: trivy() }), { code: 'forbidden' });
    assert.deepEqual(await audited(), []);
    assert.deepEqual(
      (await send(archive, { image: `ghcr.io/acme/web:3@${digestOf(3)}` })).map(({ digest, image }) => [
        digest,
        image,
      ]),
      [[digestOf(3), 'ghcr.io/acme/web:3']],
    );
  });

  test(
    'every real report is recorded as the index says, and none without packages looks clean',
    { skip },
    async (t) => {
      const store = await engine.open(t);
      const { send, as } = await open(t, store);
      const index = JSON.parse(readFileSync(new URL('INDEX.json', DATA), 'utf8')) as Readonly<
        Record<string, Expected>
      >;
      // Those in full on SQLite; the large ones alone where each costs a round trip.
      const wanted = Object.entries(index).filter(
        ([path]) => engine.name === 'sqlite' || path.startsWith('real/'),
      );
      let n = 0;
      let refused = 0;
      for (const [path, expected] of wanted) {
        const [, named] = (expected.repoDigest ?? '').split('@');
        const digest = named ?? digestOf(++n);
        const made = JSON.parse(readFileSync(new URL(path, DATA), 'utf8')) as { ArtifactType: string };
        const query = named === undefined ? { digest } : {};
        if (made.ArtifactType !== 'container_image') {
          await assert.rejects(send(made, query), { code: 'invalid_report' }, path);
          refused += 1;
          continue;
        }
        const [one] = await send(made, query);
        assert.ok(one, path);
        assert.equal(one.digest, digest, path);
        assert.deepEqual(one.os, expected.os && { family: expected.os.Family, name: expected.os.Name }, path);
        assert.equal(one.end_of_life, expected.os && (expected.os.EOSL ?? false), path);
        const packages = expected.resultTypes.some((type) => /^(os|lang)-pkgs\//.test(type));
        assert.equal(one.findings !== null, packages, path);
        const { body } = await as('viewer').json<ImageDetailBody>('GET /images/{digest}', {
          params: { digest },
        });
        if (!packages) {
          assert.deepEqual([one.outcome, body.state, body.findings], ['incomplete', 'Unscanned', null], path);
          continue;
        }
        for (const [severity, count] of Object.entries(one.findings ?? {}))
          assert.equal(count, expected.bySeverity[severity.toUpperCase()] ?? 0, `${path} ${severity}`);
        assert.equal(body.findings?.length, expected.findings, path);
      }
      assert.ok(wanted.length > 5);
      assert.equal(refused > 0, engine.name === 'sqlite', 'those of repositories and directories');
    },
  );
});
