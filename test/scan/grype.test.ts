import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { openGrype, parseGrypeReport, toGrypeScanReport } from '../../src/adapters/grype/index.ts';
import { IpoError, Secret } from '../../src/base/index.ts';
import { parseReference } from '../../src/image/index.ts';
import { ScannerError } from '../../src/scan/scanner-error.ts';
import { makeCertificate, withoutOpenssl } from '../app/certificate.ts';
import { imageOf, push } from '../registry/images.ts';
import { skipReal, startRealRegistry } from '../registry/real-registry.ts';
import { runs } from '../runs.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

interface Match {
  readonly id: string;
  readonly severity?: string;
  readonly fix?: unknown;
  readonly related?: readonly string[];
}

function match({
  id,
  severity = 'High',
  fix = { versions: [], state: 'not-fixed' },
  related = [],
}: Match): unknown {
  return {
    vulnerability: { id, severity, fix, namespace: 'x' },
    relatedVulnerabilities: related.map((one) => ({ id: one, namespace: 'nvd:cpe' })),
    matchDetails: [{ type: 'exact-direct-match' }],
    artifact: { name: 'openssl', version: '3.0.1', type: 'deb', purl: 'pkg:deb/debian/openssl@3.0.1' },
  };
}

/** A report in the form in which Grype 0.88 and later write it. */
function report(matches: readonly Match[], more: object = {}): object {
  return {
    matches: matches.map(match),
    source: {
      type: 'image',
      target: {
        userInput: `registry:ghcr.io/acme/web:1@${DIGEST}`,
        imageID: `sha256:${'b'.repeat(64)}`,
        manifestDigest: `sha256:${'c'.repeat(64)}`,
        tags: ['ghcr.io/acme/web:1'],
        repoDigests: [`ghcr.io/acme/web@${DIGEST}`],
        labels: { 'org.opencontainers.image.source': 'https://github.com/acme/web' },
      },
    },
    distro: { name: 'debian', version: '12', idLike: [] },
    descriptor: {
      ...{ name: 'grype', version: '0.104.0', timestamp: '2026-11-20T05:00:00.123456789Z' },
      db: { status: { schemaVersion: 'v6.1.2', built: '2026-11-20T01:00:00Z', valid: true } },
    },
    ...more,
  };
}

test('a report of Grype is read as one of Trivy is', () => {
  const matches = [
    { id: 'CVE-2026-0001', severity: 'Critical', fix: { versions: ['3.0.2', '3.1'], state: 'fixed' } },
    { id: 'GHSA-aaaa-bbbb-cccc', related: ['CVE-2026-0002', 'CVE-2026-0003', 'CVE-2026-0002'] },
    { id: 'GHSA-dddd-eeee-ffff', severity: 'Negligible' },
    { id: 'CVE-2026-0004', severity: 'Unknown', related: ['CVE-2026-9999'] },
  ];
  const { scan, ...rest } = toGrypeScanReport(report(matches), 'r.json');
  assert.deepEqual(
    scan.findings?.map(({ cve, severity, rank, package: name, installed, fixed }) => [
      ...[cve, severity, rank, name, installed, fixed],
    ]),
    [
      ['CVE-2026-0001', 'CRITICAL', 4, 'openssl', '3.0.1', '3.0.2, 3.1'],
      ['CVE-2026-0002', 'HIGH', 3, 'openssl', '3.0.1', null],
      ['CVE-2026-0003', 'HIGH', 3, 'openssl', '3.0.1', null],
      ['GHSA-dddd-eeee-ffff', 'LOW', 1, 'openssl', '3.0.1', null],
      ['CVE-2026-0004', 'UNKNOWN', 0, 'openssl', '3.0.1', null],
    ],
  );
  assert.deepEqual(scan.scanner, { name: 'grype', version: '0.104.0', dbUpdatedAt: '2026-11-20T01:00:00Z' });
  assert.deepEqual(scan.os, { family: 'debian', name: '12', eosl: false });
  assert.equal(scan.scannedAt, '2026-11-20T05:00:00.123456Z');
  assert.deepEqual(rest, {
    ...{ file: 'r.json', artifact: `ghcr.io/acme/web:1@${DIGEST}`, type: 'container_image' },
    ...{ names: ['ghcr.io/acme/web:1'], digests: [{ name: 'ghcr.io/acme/web', digest: DIGEST }] },
    ...{ platform: null, imageId: `sha256:${'b'.repeat(64)}`, source: 'https://github.com/acme/web' },
  });
});

test('a report of Grype says what a vulnerability is and where the package is', () => {
  const layerID = `sha256:${'d'.repeat(64)}`;
  const V3 = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H';
  const whole = report([]) as { matches: unknown[] };
  const of = (vulnerability: object, related: readonly object[] = []) => {
    const artifact = { name: 'a', version: '1', locations: [{ path: '/app/a.jar', layerID }] };
    whole.matches = [{ vulnerability, relatedVulnerabilities: related, artifact }];
    const { advisory, foundAt } = toGrypeScanReport(whole, 'r.json').scan.findings?.[0] ?? {};
    return { advisory, foundAt };
  };
  const related = {
    ...{ id: 'CVE-2026-0001', dataSource: 'https://nvd.nist.gov/vuln/detail/CVE-2026-0001' },
    ...{ namespace: 'nvd:cpe', description: 'Overflow in a.b parsing. Versions before 2 are affected.' },
    cvss: [{ source: 'nvd@nist.gov', version: '3.1', vector: V3, metrics: { baseScore: 9.8 } }],
  };
  const ghsa = { id: 'GHSA-aaaa-bbbb-cccc', severity: 'High', namespace: 'github:language:java' };
  const page = 'https://github.com/advisories/GHSA-aaaa-bbbb-cccc';
  assert.deepEqual(of({ ...ghsa, dataSource: page }, [related]), {
    advisory: {
      ...{ title: 'Overflow in a.b parsing.', url: page },
      cvss: { version: '3.1', score: 9.8, vector: V3, source: 'nvd' },
    },
    foundAt: { target: null, path: '/app/a.jar', layer: layerID },
  });
  const own = {
    ...ghsa,
    dataSource: 'http://plain.example/',
    cvss: [{ vector: V3, metrics: { baseScore: 7 } }],
  };
  const { advisory } = of(own, [related]);
  assert.deepEqual(
    [advisory?.cvss?.source, advisory?.cvss?.score],
    ['github', 7],
    'of whoever gave the severity',
  );
  assert.equal(advisory?.url, related.dataSource);
  assert.deepEqual(of({ ...ghsa, cvss: { metrics: 1 }, description: 7, dataSource: 9 }).advisory, undefined);
});

test('nothing found in a known distribution is clean; nothing found in nothing is not', () => {
  assert.deepEqual(toGrypeScanReport(report([]), 'r').scan.findings, []);
  for (const distro of [undefined, null, { name: '', version: '', idLike: null }])
    assert.equal(toGrypeScanReport(report([], { distro }), 'r').scan.findings, null);
});

test('an incomplete report of Grype is refused with the place', () => {
  const cut = JSON.stringify(report([{ id: 'CVE-2026-0001' }])).slice(0, -100);
  assert.throws(() => parseGrypeReport(cut, 'r'), { code: 'invalid_report', message: /ends in the middle/ });
  for (const foreign of [null, [], 1, {}, { SchemaVersion: 2 }, { descriptor: { name: 'syft' } }])
    assert.throws(() => toGrypeScanReport(foreign, 'r'), {
      code: 'invalid_report',
      message: /not a report of Grype/,
    });
  assert.throws(() => toGrypeScanReport(report([{ id: 'CVE-2026-0001', severity: 'Grave' }]), 'r'), {
    message: /matches\.0\.vulnerability\.severity is not one of/,
  });
  assert.throws(() => toGrypeScanReport(report([{ id: '' }]), 'r'), {
    message: /matches\.0\.vulnerability\.id/,
  });
  assert.throws(() => toGrypeScanReport(report([], { matches: {} }), 'r'), { message: /^matches is not/ });
});

test('no change of a report crashes the reader, or makes its findings fewer in silence', () => {
  const whole = JSON.stringify(
    report([{ id: 'CVE-2026-0001' }, { id: 'GHSA-aaaa-bbbb-cccc', related: ['CVE-2026-0002'] }]),
  );
  const broken = ['null', '[]', '{}', '"x"', '-1', 'true', '1e999', '{"__proto__":1}', '"CVE-2026-0009"'];
  fc.assert(
    fc.property(
      fc.nat(whole.length - 1),
      fc.integer({ min: 0, max: 40 }),
      fc.oneof(fc.constantFrom(...broken), fc.string({ maxLength: 5 })),
      (from, length, put) => {
        const text = whole.slice(0, from) + put + whole.slice(from + length);
        try {
          const { scan } = parseGrypeReport(text, 'r');
          if (scan.findings?.length === 0)
            assert.deepEqual((JSON.parse(text) as { matches: unknown }).matches, []);
        } catch (error) {
          assert.ok(error instanceof IpoError && error.code === 'invalid_report', String(error));
        }
      },
    ),
    { numRuns: runs(20_000) },
  );
});

const FETCH = fileURLToPath(new URL('stand-in-fetch.cjs', import.meta.url));

/** A program `grype` that answers as it is told; with `fetches` once it has fetched the image by what it is given. */
function standIn(t: TestContext, answers: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'ipo-grype-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, 'grype');
  const code = `
    const { appendFileSync, existsSync, readFileSync } = require('node:fs');
    const args = process.argv.slice(2);
    const config = process.env.DOCKER_CONFIG + '/config.json';
    const docker = existsSync(config) ? JSON.parse(readFileSync(config, 'utf8')) : null;
    appendFileSync(${JSON.stringify(join(folder, 'calls'))}, JSON.stringify({ args, env: process.env, docker, cwd: process.cwd() }) + '\\n');
    const answers = JSON.parse(readFileSync(${JSON.stringify(join(folder, 'answers'))}, 'utf8'));
    const answer = answers[args[0] === 'db' ? 'db ' + args[1] : args[0] === 'version' ? 'version' : 'scan'] ?? '';
    if (answers.fetches && args[0].startsWith('registry:'))
      require(${JSON.stringify(FETCH)}).fetchImage(args[0].slice(9), { args, env: process.env, docker }).then(
        () => process.stdout.write(answer),
        (error) => { process.stderr.write('could not fetch image: ' + error.message + '\\n'); process.exitCode = 1; });
    else if (answer.startsWith('!')) { process.stderr.write(answer.slice(1) + '\\n'); process.exitCode = 1; }
    else process.stdout.write(answer);`;
  writeFileSync(program, `#!${process.execPath}\n${code}\n`);
  chmodSync(program, 0o755);
  const plan = (next: Readonly<Record<string, string>>): void =>
    writeFileSync(join(folder, 'answers'), JSON.stringify({ ...STATUS, ...next }));
  plan(answers);
  const calls = (): { args: string[]; env: Record<string, string>; docker: unknown; cwd: string }[] =>
    readFileSync(join(folder, 'calls'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as never);
  return { program, directory: join(folder, 'scanner'), plan, calls };
}

const STATUS = {
  version: '{"application":"grype","version":"0.104.0"}',
  'db status': '{"schemaVersion":"v6.1.2","from":"x","built":"2026-11-20T01:00:00Z","path":"x","valid":true}',
};
const { signal } = new AbortController();

test('grype is run by digest, with only its database and one credential', async (t) => {
  const grype = standIn(t, { scan: JSON.stringify(report([{ id: 'CVE-2026-0001' }])) });
  const options = {
    ...{ program: grype.program, directory: grype.directory, timeoutMs: 30_000, platform: 'linux/arm64' },
    ...{ update: true, memory: null },
    env: {
      ...{ PATH: process.env['PATH'], HOME: '/home/somebody', DOCKER_CONFIG: '/home/somebody/.docker' },
      ...{ DATA_KEY: 'x', GRYPE_ONLY_FIXED: 'true' },
    },
  };
  const scanner = await openGrype(options);
  assert.deepEqual(await scanner.refresh(signal), {
    version: '0.104.0',
    updatedAt: Date.UTC(2026, 10, 20, 1),
  });
  const reference = parseReference(`ghcr.io/acme/web@${DIGEST}`);
  assert.ok(!('fault' in reference));
  const credential = { kind: 'password' as const, username: 'robot', password: new Secret('hunter2') };
  const order = { reference, credential, signal };
  const { scan } = await scanner.scan(order);
  assert.deepEqual(
    scan.findings?.map(({ cve }) => cve),
    ['CVE-2026-0001'],
  );
  const call = grype.calls().at(-1);
  assert.ok(call);
  assert.deepEqual(call.args, [
    ...[`registry:ghcr.io/acme/web@${DIGEST}`, '--output', 'json', '--quiet', '--platform', 'linux/arm64'],
  ]);
  assert.deepEqual(call.docker, {
    auths: { 'ghcr.io': { auth: Buffer.from('robot:hunter2').toString('base64') } },
  });
  assert.deepEqual(
    [call.env['HOME'], call.env['GRYPE_DB_AUTO_UPDATE'], call.env['DATA_KEY'], call.env['GRYPE_ONLY_FIXED']],
    [call.cwd, 'false', undefined, undefined],
  );

  await scanner.scan({ ...order, credential: null });
  assert.deepEqual(grype.calls().at(-1)?.docker, { auths: {} }, 'none of ours, which could name helpers');

  const faults = [
    ['!ERROR could not fetch image "x": unable to load image: hunter2 denied', 'image'],
    ['!ERROR failed to load vulnerability db: database does not exist', 'scanner'],
    ['!ERROR something new', 'failed'],
  ] as const;
  for (const [answer, fault] of faults) {
    grype.plan({ scan: answer });
    await assert.rejects(scanner.scan(order), (error) => {
      assert.ok(error instanceof ScannerError && error.fault === fault, String(error));
      assert.doesNotMatch(`${error.message} ${String(error.cause)}`, /hunter2/);
      return true;
    });
  }
  grype.plan({ scan: JSON.stringify(report([])).slice(0, -9) });
  await assert.rejects(scanner.scan(order), { code: 'invalid_report' });
  grype.plan({ 'db status': '!no database' });
  await assert.rejects(scanner.scan(order), {
    fault: 'scanner',
    message: /no vulnerability database has been downloaded yet/,
  });
});

test(
  'grype fetches from where it is told: a mirror, an authority of its own, plain HTTP',
  { skip: skipReal === false ? withoutOpenssl : skipReal },
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'ipo-grype-places-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const made = makeCertificate(folder, 'registry');
    const tls = { cert: readFileSync(made.cert, 'utf8'), key: readFileSync(made.key, 'utf8') };
    const content = join(folder, 'content');
    const [plain, trusted] = await Promise.all([
      startRealRegistry(t, { content }),
      startRealRegistry(t, { content, tls }),
    ]);
    const { manifest, blobs } = imageOf('web');
    await push(plain.url, 'hub/acme/web', { blobs, manifests: [{ content: manifest }] });
    const mirror = `${trusted.host}/hub/acme/web@${manifest.digest}`;
    const target = { userInput: mirror, imageID: null, tags: [], repoDigests: [mirror] };
    const scan = JSON.stringify(report([], { source: { type: 'image', target } }));
    const grype = standIn(t, { scan, fetches: 'yes' });
    const scanner = await openGrype({
      ...{ program: grype.program, directory: grype.directory, timeoutMs: 30_000, platform: 'linux/amd64' },
      ...{ update: true, memory: null, env: { PATH: process.env['PATH'] } },
    });
    const reference = parseReference(`ghcr.io/acme/web@${manifest.digest}`);
    assert.ok(!('fault' in reference));
    const order = { reference, credential: null, signal };
    const from = { host: trusted.host, path: 'hub/acme/web', plainHttp: false, authorities: tls.cert };
    const { artifact, digests } = await scanner.scan({ ...order, from });
    assert.deepEqual(
      [artifact, digests],
      [reference.text, [{ name: 'ghcr.io/acme/web', digest: manifest.digest }]],
    );
    await scanner.scan({ ...order, from: { ...from, host: plain.host, plainHttp: true, authorities: null } });
    for (const [wrong, reason] of [
      [{ authorities: null }, 'certificate'],
      [{ host: plain.host }, 'refused'],
      [{ path: 'acme/web' }, 'not_found'],
    ] as const)
      await assert.rejects(
        scanner.scan({ ...order, from: { ...from, ...wrong } }),
        (error: unknown) => error instanceof ScannerError && error.reason === reason,
        reason,
      );
  },
);
