import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { digestOf, rowsOf } from '../store/image-records.ts';
import { ipo } from './fake-terminal.ts';
import { startCli } from './inventory.ts';

const DATA = new URL('../../../shared/data/trivy/', import.meta.url);
const skip = existsSync(new URL('INDEX.json', DATA)) ? false : 'the shared data is not here';

function report(
  digest: string | null,
  vulnerabilities: readonly Record<string, unknown>[] | null = [],
): string {
  return JSON.stringify({
    SchemaVersion: 2,
    CreatedAt: '2026-11-20T01:00:00Z',
    ArtifactName: 'ghcr.io/acme/new:1',
    ArtifactType: 'container_image',
    Metadata: {
      OS: { Family: 'alpine', Name: '3.10.9', EOSL: true },
      RepoDigests: digest === null ? [] : [`ghcr.io/acme/new@${digest}`],
    },
    Results: vulnerabilities === null ? [] : [{ Class: 'os-pkgs', Vulnerabilities: vulnerabilities }],
  });
}

const FOUND = [
  { VulnerabilityID: 'CVE-1', PkgName: 'openssl', InstalledVersion: '1.0', Severity: 'CRITICAL' },
];

test('a dry run tells what a report says with no service at hand, also where it names no digest', async () => {
  const { code, out, err } = await ipo(['scan', 'import', '-', '--dry-run'], {
    stdin: report(digestOf(1), FOUND),
  });
  assert.equal(code, 0);
  assert.match(
    err,
    /^ipo: 1 report does not state when the scanner’s database was made; from such a report the service closes no finding; add --trivy-version/,
  );
  assert.match(
    out,
    /^image +digest +system +EOL +crit +high +med +low +unkn *\nghcr\.io\/acme\/new:1 +000000000000 +alpine 3\.10\.9 +yes +1 +0 +0 +0 +0\n$/,
  );
  const nameless = await ipo(['scan', 'import', '-', '--dry-run', '-o', 'json'], {
    stdin: report(null, null),
  });
  assert.equal(nameless.code, 0);
  assert.deepEqual(JSON.parse(nameless.out), {
    scans: [
      {
        digest: null,
        image: 'ghcr.io/acme/new:1',
        names: ['ghcr.io/acme/new:1'],
        scanned_at: '2026-11-20T01:00:00Z',
        db_updated_at: null,
        os: { family: 'alpine', name: '3.10.9' },
        end_of_life: true,
        findings: null,
        outcome: null,
        replaced: false,
      },
    ],
  });
  assert.match(
    nameless.err,
    /1 report named no registry digest; to import one, name its image with --digest/,
  );
});

test('a dry run of every real report gives the counts of the index', { skip }, async () => {
  const index = JSON.parse(readFileSync(new URL('INDEX.json', DATA), 'utf8')) as Record<
    string,
    {
      os: { Family: string; Name: string; EOSL?: boolean } | null;
      repoDigest: string | null;
      bySeverity: Record<string, number>;
      resultTypes: string[];
    }
  >;
  const paths = Object.keys(index);
  const { code, out } = await ipo([
    'scan',
    'import',
    '--dry-run',
    '-q',
    '-o',
    'json',
    ...paths.map((path) => new URL(path, DATA).pathname),
  ]);
  assert.equal(code, 0);
  const { scans } = JSON.parse(out) as {
    scans: {
      digest: string | null;
      os: object | null;
      end_of_life: boolean | null;
      findings: Record<string, number> | null;
    }[];
  };
  assert.equal(scans.length, paths.length);
  for (const [i, path] of paths.entries()) {
    const expected = index[path];
    const scan = scans[i];
    assert.ok(expected && scan, path);
    assert.equal(scan.digest, expected.repoDigest?.split('@')[1] ?? null, path);
    assert.deepEqual(scan.os, expected.os && { family: expected.os.Family, name: expected.os.Name }, path);
    assert.equal(scan.end_of_life, expected.os && (expected.os.EOSL ?? false), path);
    const packages = expected.resultTypes.some((type) => /^(os|lang)-pkgs\//.test(type));
    assert.equal(scan.findings !== null, packages, path);
    for (const [severity, count] of Object.entries(scan.findings ?? {}))
      assert.equal(count, expected.bySeverity[severity.toUpperCase()] ?? 0, path);
  }
});

test('reports are recorded at a service, and said what became of each', async (t) => {
  const { as, api, folder } = await startCli(t);
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const full = file('full.json', report(digestOf(1), FOUND));
  const empty = file('empty.json', report(digestOf(2), null));
  const { code, out } = await as('deployer', 'scan', 'import', full, empty);
  assert.equal(code, 1, 'a pipeline stops at a scan that says nothing');
  assert.match(out, /ghcr\.io\/acme\/new:1 .* 1 +0 +0 +0 +0 +recorded\n/);
  assert.match(out, /– +incomplete\n\nincomplete: the scan found no packages/);
  assert.match((await as('deployer', 'scan', 'import', full)).out, / replaced\n$/);
  assert.deepEqual(
    (await api.audited()).map(([action, target]) => [action, target]),
    [
      ['scan_import', digestOf(1)],
      ['scan_import', digestOf(2)],
      ['scan_import', digestOf(1)],
    ],
  );
  const bare = file('bare.json', report(null, FOUND));
  const refused = await as('deployer', 'scan', 'import', full, bare);
  assert.equal(refused.code, 2);
  assert.match(
    refused.err,
    /bare\.json: the report of ghcr\.io\/acme\/new:1 names no registry digest\n {2}Say which image it is: --digest sha256:…/,
  );
  assert.equal((await api.audited()).length, 3);
  assert.equal(
    (await as('deployer', 'scan', 'import', bare, '--image', `ghcr.io/acme/new:2@${digestOf(3)}`)).code,
    0,
  );
  const contradicting = await as('deployer', 'scan', 'import', full, '--digest', digestOf(9));
  assert.equal(contradicting.code, 2);
  assert.match(contradicting.err, /full\.json: the report is about sha256:0+1, not about sha256:0+9/);
  assert.equal((await as('viewer', 'scan', 'import', full)).code, 3);
});

test('what Trivy says of its version tells how old the database was that a report was made with', async (t) => {
  const { as, folder } = await startCli(t);
  const file = (name: string, value: unknown): string => {
    writeFileSync(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value));
    return join(folder, name);
  };
  const full = file('full.json', report(digestOf(1), FOUND));
  const version = { Version: '0.72.0', VulnerabilityDB: { Version: 2, UpdatedAt: '2026-11-19T18:00:00Z' } };
  const send = (value: unknown) =>
    as('deployer', 'scan', 'import', full, '-o', 'json', '--trivy-version', file('version.json', value));
  const done = await send(version);
  assert.deepEqual([done.code, done.err], [0, '']);
  const { scans } = JSON.parse(done.out) as { scans: { db_updated_at: string }[] };
  assert.deepEqual(
    scans.map(({ db_updated_at }) => db_updated_at),
    ['2026-11-19T18:00:00Z'],
  );
  for (const [value, says] of [
    ['trivy 0.72.0', /version\.json: this is not what `trivy version --format json` writes/],
    [{ Version: '0.72.0' }, /version\.json: it does not say when the vulnerability database was made/],
    [
      { VulnerabilityDB: { UpdatedAt: '2026-11-20T01:00:01Z' } },
      /full\.json: db_updated_at 2026-11-20T01:00:01Z is later than the scan, which was made at 2026-11-20T01:00:00Z/,
    ],
  ] as const) {
    const refused = await send(value);
    assert.equal(refused.code, 2);
    assert.match(refused.err, says);
  }
  const both = await ipo(['scan', 'import', '-', '--dry-run', '--trivy-version', '-'], { stdin: '{}' });
  assert.equal(both.code, 2);
});

test('reports are recorded in a database without a service, with an audit entry of nobody', async (t) => {
  const { store, folder } = await startCli(t);
  const file = join(folder, 'report.json');
  writeFileSync(file, report(digestOf(1), FOUND));
  const database = `sqlite:${join(folder, 'service.db')}`;
  const dated = ['--db-updated-at', '2026-11-19T00:00:00Z'];
  const { code, out, err } = await ipo(['scan', 'import', file, '--database', database, ...dated]);
  assert.deepEqual([code, err], [0, '']);
  const [scan] = await rowsOf(store, "select db_updated_at from scans where digest like '%01'");
  assert.equal(Number(scan?.['db_updated_at']), Date.UTC(2026, 10, 19));
  assert.match(out, / recorded\n$/);
  assert.deepEqual(await rowsOf(store, 'select action, target, actor_id, path from audit'), [
    { action: 'scan_import', target: digestOf(1), actor_id: null, path: 'ipo scan import' },
  ]);
  assert.equal(
    (
      await rowsOf(
        store,
        "select cve from findings f join scans s on s.id = f.scan_id where s.digest like '%01'",
      )
    ).length,
    1,
  );
  const other = { IPO_DATABASE: `sqlite:${join(folder, 'none.db')}` };
  assert.equal((await ipo(['scan', 'import', file, '--database', other.IPO_DATABASE])).code, 3);
  for (const [env, expected] of [
    [other, 3],
    [{ IPO_DATABASE: database }, 0],
  ] as const) {
    const ran = await ipo(['scan', 'import', file, ...dated, '--database'], { env });
    assert.equal(ran.code, expected, ran.err);
  }
});

test('a report of anything else than a container image is recorded for no image, whatever digest is given', async (t) => {
  const { as, api, folder } = await startCli(t);
  const path = join(folder, 'src.json');
  for (const type of ['filesystem', 'repository', 'vm', 'cyclonedx']) {
    const made = { ...(JSON.parse(report(null, [])) as object), ArtifactType: type, ArtifactName: 'src' };
    writeFileSync(path, JSON.stringify(made));
    for (const target of [[], ['--digest', digestOf(1)], ['--image', `ghcr.io/acme/new@${digestOf(1)}`]]) {
      const { code, err } = await as('deployer', 'scan', 'import', path, ...target);
      assert.equal(code, 2);
      assert.match(
        err,
        new RegExp(`the report of src is of type "${type}", not of a container image\\n  Only`),
      );
    }
    assert.equal((await as('deployer', 'scan', 'import', path, '--dry-run')).code, 0, 'it may be looked at');
  }
  assert.deepEqual(await api.audited(), []);
});

test('an invalid report, or one named in a way that cannot be served, is refused', async () => {
  for (const [args, stdin, message] of [
    [['-'], '{', /stdin: the report ends in the middle/],
    [['-'], '{"SchemaVersion": 1}', /schema version 1/],
    [['-'], '{"a": 1}', /stdin: not a report of Trivy, Grype or trivy-operator\n/],
    [['-'], '"a"', /stdin: not a report of Trivy, Grype or trivy-operator\n/],
    [['a.json', 'b.json', '--digest', digestOf(1)], '', /--image and --digest apply to one report/],
    [['-', '-'], '', /stdin/],
    [['-', '--database', 'sqlite:x', '--server', 'http://127.0.0.1:1'], '', /cannot be used with/],
  ] as const) {
    const { code, err } = await ipo(['scan', 'import', '--dry-run', ...args], { stdin });
    assert.equal(code, 2, err);
    assert.match(err, message);
  }
  assert.equal((await ipo(['scan', 'import', '--dry-run', '/no/such/file.json'])).code, 3);
});
