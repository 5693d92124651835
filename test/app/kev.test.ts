import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { CataloguesRefreshedBody } from '../../src/api/contract/catalogues.ts';
import type { HealthBody } from '../../src/api/contract/health.ts';
import type { ServiceClient } from '../../src/adapters/service/index.ts';
import { scratchDirectory, startRunning, type Running } from './running.ts';

const DATA = new URL('../../../shared/data/', import.meta.url);
const skip = existsSync(new URL('kev/', DATA)) ? false : 'the shared data is not here';
const DIGEST = `sha256:${'5'.repeat(64)}`;

function catalogue(...cves: readonly string[]): string {
  const vulnerabilities = cves.map((cveID) => ({ cveID, dateAdded: '2026-11-01', dueDate: '2026-11-22' }));
  return JSON.stringify({ catalogVersion: `v${cves.length}`, count: cves.length, vulnerabilities });
}

/** A service whose catalogue is a file that the test writes; null: it is not there. */
async function start(
  t: TestContext,
  text: string | Buffer | null,
): Promise<Running & { readonly file: string }> {
  const file = join(scratchDirectory(t), 'kev.json');
  if (text !== null) writeFileSync(file, text);
  const running = await startRunning(t, {
    env: { IPO_KEV_SOURCE: `file://${file}`, DATA_KEY: randomBytes(32).toString('base64') },
  });
  return { ...running, file };
}

async function importScan(deployer: ServiceClient, cves: readonly string[]): Promise<void> {
  const body = {
    SchemaVersion: 2,
    ArtifactName: 'ghcr.io/acme/web:1',
    ArtifactType: 'container_image',
    Metadata: { RepoDigests: [`ghcr.io/acme/web@${DIGEST}`], RepoTags: ['ghcr.io/acme/web:1'] },
    Results: [
      {
        Class: 'os-pkgs',
        Vulnerabilities: cves.map((VulnerabilityID) => ({
          ...{ VulnerabilityID, PkgName: 'openssl', InstalledVersion: '3.0.1', Severity: 'CRITICAL' },
        })),
      },
    ],
  };
  await deployer.json('POST /scans', { body });
}

interface Preview {
  readonly text?: string;
}

async function preview({ as }: Running, cve: string): Promise<string> {
  const administrator = as('administrator');
  const { body: channel } = await administrator.json<{ id: string }>('POST /channels', {
    body: {
      ...{ kind: 'github', name: 'hub', apiBaseUrl: 'https://api.github.com' },
      ...{ token: 'github_pat_11AAAAAAA0example', defaultRepo: 'example/shop' },
    },
  });
  const { body } = await administrator.json<Preview>('GET /channels/{id}/preview', {
    params: { id: channel.id },
    query: { digest: DIGEST, cve },
  });
  return JSON.stringify(body);
}

/** Asks until the answer is as wanted: a job runs in its own time. */
async function until(client: ServiceClient, wanted: (health: HealthBody) => boolean): Promise<HealthBody> {
  for (let turn = 0; turn < 500; turn += 1) {
    const { body } = await client.json<HealthBody>('GET /system/health');
    if (wanted(body)) return body;
  }
  throw new assert.AssertionError({ message: 'health never said so' });
}

const jobOf = ({ jobs }: HealthBody): HealthBody['jobs'][number] | undefined =>
  jobs.find(({ name }) => name === 'catalogues');

test('a service fetches the catalogue when it starts; findings, issues and health follow it', async (t) => {
  const running = await start(t, gzipSync(catalogue('CVE-2026-0001', 'CVE-2026-0002')));
  const { as } = running;
  const viewer = as('viewer');
  const health = await until(viewer, (body) => jobOf(body)?.last_success_at !== undefined);
  assert.deepEqual([health.kev_state.version, health.kev_state.entries], ['v2', 2]);
  assert.ok(health.kev_state.fetched_at !== undefined && health.kev_state.checked_at !== undefined);
  assert.deepEqual([health.kev_state.message, jobOf(health)?.status], [undefined, 'ok']);

  await importScan(as('deployer'), ['CVE-2026-0001', 'CVE-2026-0009']);
  const { body } = await viewer.json<{ findings: { cve: string; known_exploited: boolean | null }[] }>(
    'GET /images/{digest}',
    { params: { digest: DIGEST } },
  );
  assert.deepEqual(
    body.findings.map(({ cve, known_exploited }) => [cve, known_exploited]),
    [
      ['CVE-2026-0001', true],
      ['CVE-2026-0009', false],
    ],
  );
  const text = await preview(running, 'CVE-2026-0001');
  assert.match(text, /catalogue of known exploited vulnerabilities \(KEV\) lists it, due on 2026-11-22\./);
});

test('the real catalogue gives the due date of a real finding', { skip }, async (t) => {
  const text = readFileSync(new URL('kev/known_exploited_vulnerabilities.json', DATA));
  const running = await start(t, text);
  await running.service.parts.kev.refresh();
  const report: unknown = JSON.parse(
    readFileSync(new URL('trivy/golden/spring4shell-jre11.json', DATA), 'utf8'),
  );
  await running.as('deployer').json('POST /scans', {
    body: report,
    query: { image: `ghcr.io/acme/spring:1@${DIGEST}` },
  });
  assert.match(await preview(running, 'CVE-2022-22965'), /lists it, due on 2022-04-25\./);
});

test('an administrator has it refreshed at once, which is recorded; nobody else may', async (t) => {
  const { as, file, service } = await start(t, catalogue('CVE-2026-0001', 'CVE-2026-0002'));
  await service.parts.kev.refresh();
  await importScan(as('deployer'), ['CVE-2026-0003']);
  for (const somebody of ['viewer', 'deployer'] as const)
    await assert.rejects(as(somebody).json('POST /catalogues/refresh'), { code: 'forbidden' });
  const administrator = as('administrator');
  const refresh = async (query: Record<string, string> = {}) => {
    const { body } = await administrator.json<CataloguesRefreshedBody>('POST /catalogues/refresh', { query });
    const [kev] = body.catalogues;
    assert.ok(kev);
    const { fetched_at, checked_at, ...said } = kev;
    assert.ok(fetched_at !== undefined && checked_at !== undefined);
    return said;
  };
  const name = 'kev';
  const nothing = { added: 0, removed: 0, images: 0 };
  assert.deepEqual(await refresh(), { name, outcome: 'unchanged', version: 'v2', entries: 2, ...nothing });
  writeFileSync(file, catalogue('CVE-2026-0001', 'CVE-2026-0002', 'CVE-2026-0003'));
  assert.deepEqual(await refresh(), {
    ...{ name, outcome: 'updated', version: 'v3', entries: 3 },
    ...{ added: 1, removed: 0, images: 1 },
  });

  writeFileSync(file, catalogue('CVE-2026-0003'));
  const shrunk = await refresh();
  assert.deepEqual([shrunk.outcome, shrunk.version, shrunk.entries], ['failed', 'v3', 3]);
  assert.match(shrunk.message ?? '', /has shrunk from 3 to 1 entries/);
  assert.match(shrunk.hint ?? '', /accept_shrunk=true/);
  const { body: health } = await as('viewer').json<HealthBody>('GET /system/health');
  assert.equal(health.kev_state.message, shrunk.message);
  assert.deepEqual([health.kev_state.version, health.kev_state.entries], ['v3', 3]);
  assert.deepEqual(await refresh({ accept_shrunk: 'true' }), {
    ...{ name, outcome: 'updated', version: 'v1', entries: 1 },
    ...{ added: 0, removed: 2, images: 0 },
  });
  rmSync(file);
  assert.match((await refresh()).message ?? '', /kev\.json is not there/);

  const { body: audit } = await as('viewer').json<{
    items: { action: string; target: string; actor: string; detail: Record<string, unknown> }[];
  }>('GET /audit', { query: { action: 'catalogue_refresh' } });
  assert.deepEqual(
    audit.items.map(({ target, actor, detail }) => [
      target,
      actor,
      detail['outcome'],
      detail['accept_shrunk'],
    ]),
    [
      ['kev', 'An Administrator', 'failed', false],
      ['kev', 'An Administrator', 'updated', true],
      ['kev', 'An Administrator', 'failed', false],
      ['kev', 'An Administrator', 'updated', false],
      ['kev', 'An Administrator', 'unchanged', false],
    ],
  );
});

test('a source that cannot be had is warned of once, and health tells it; everything else goes on', async (t) => {
  const { as, file, log, url } = await start(t, null);
  const viewer = as('viewer');
  const health = await until(viewer, (body) => jobOf(body)?.status === 'degraded');
  assert.equal(health.status, 'degraded');
  assert.equal(jobOf(health)?.message, `${file} is not there`);
  assert.deepEqual(health.kev_state, { message: `${file} is not there` });
  assert.equal((await fetch(`${url}/readyz`)).status, 200);
  const warned = log.filter((line) => /"level":"warn".*"job":"catalogues"/.test(line));
  assert.equal(warned.length, 1, log.join(''));
  await importScan(as('deployer'), ['CVE-2026-0001']);
});

test('a catalogue of an older date is refused like a shrunk one, health says so, and a person may take it', async (t) => {
  const dated = (day: string, ...cves: readonly string[]): string =>
    JSON.stringify({
      ...(JSON.parse(catalogue(...cves)) as object),
      ...{ catalogVersion: day.replaceAll('-', '.'), dateReleased: `${day}T12:00:00.0000Z` },
    });
  const cves = ['CVE-2026-0001', 'CVE-2026-0002', 'CVE-2026-0003', 'CVE-2026-0004', 'CVE-2026-0005'];
  const { as, file } = await start(t, dated('2025-08-07', ...cves));
  await until(as('viewer'), (body) => jobOf(body)?.last_success_at !== undefined);
  const refresh = async (query: Record<string, string> = {}) => {
    const { body } = await as('administrator').json<{
      catalogues: { name: string; outcome: string; message?: string; hint?: string; version?: string }[];
    }>('POST /catalogues/refresh', { query });
    return body.catalogues.find(({ name }) => name === 'kev');
  };
  writeFileSync(file, dated('2025-07-01', ...cves.slice(1)));
  const refused = await refresh();
  assert.deepEqual([refused?.outcome, refused?.version], ['failed', '2025.08.07']);
  assert.match(refused?.message ?? '', /is of 2025-07-01T12:00:00Z, older than the one that is kept/);
  assert.match(refused?.hint ?? '', /accept_older=true/);
  const { body: health } = await as('viewer').json<HealthBody>('GET /system/health');
  assert.equal(health.kev_state.message, refused?.message);
  const taken = await refresh({ accept_older: 'true' });
  assert.deepEqual([taken?.outcome, taken?.version], ['updated', '2025.07.01']);
});
