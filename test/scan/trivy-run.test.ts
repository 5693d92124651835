import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { Secret } from '../../src/base/index.ts';
import { parseReference, type Credential, type ImageReference } from '../../src/image/index.ts';
import { openTrivy, type TrivyOptions } from '../../src/adapters/trivy/run.ts';
import { parseScanReports } from '../../src/adapters/trivy/index.ts';
import { ScannerError } from '../../src/scan/scanner-error.ts';
import type { Scanner } from '../../src/scan/scanner-ports.ts';
import { readFileSync } from 'node:fs';
import { noData, realReport, standInTrivy, type Plan, type StandIn } from './stand-in-trivy.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const REPORT = noData === false ? realReport('golden/debian-buster.json') : '';
const skip = noData;
const { signal } = new AbortController();

function at(name: string): ImageReference {
  const reference = parseReference(`${name}@${DIGEST}`);
  assert.ok(!('fault' in reference));
  return reference;
}

/** A Trivy that is the stand-in, with a database unless told. */
async function open(
  t: TestContext,
  plan: Partial<Plan> = {},
  options: Partial<TrivyOptions> = {},
): Promise<{ readonly trivy: Scanner; readonly standIn: StandIn }> {
  const standIn = standInTrivy(t, { report: REPORT, ...plan });
  const trivy = await openTrivy({
    ...{ program: standIn.program, directory: standIn.directory, atOnce: 2, timeoutMs: 30_000, server: null },
    ...{
      platform: 'linux/amd64',
      update: true,
      databases: { vulnerabilities: null, java: null },
      memory: null,
    },
    env: { PATH: process.env['PATH'] },
    ...options,
  });
  if (options.server === undefined) await trivy.refresh(signal);
  return { trivy, standIn };
}

const scan = (trivy: Scanner, credential: Credential | null = null, name = 'ghcr.io/acme/web') =>
  trivy.scan({ reference: at(name), credential, signal });

const fails = (fault: string, message?: RegExp) => (error: unknown) => {
  assert.ok(error instanceof ScannerError, String(error));
  assert.equal(error.fault, fault, error.message);
  if (message !== undefined) assert.match(error.message, message);
  return true;
};

test('an image is scanned by its digest, and the record says with what', { skip }, async (t) => {
  const { trivy, standIn } = await open(t, { version: '0.72.0', database: '2026-11-20T01:02:03.5Z' });
  const report = await scan(trivy);
  const [expected] = parseScanReports(readFileSync(REPORT, 'utf8'), 'x');
  assert.deepEqual(report.scan.findings, expected?.scan.findings);
  assert.deepEqual(report.digests, [{ name: 'ghcr.io/acme/web', digest: DIGEST }]);
  assert.deepEqual(report.scan.scanner, {
    name: 'trivy',
    version: expected?.scan.scanner?.version || '0.72.0',
    dbUpdatedAt: '2026-11-20T01:02:03.500Z',
  });
  const [call] = standIn.scans();
  assert.ok(call);
  assert.equal(call.args.at(-1), `ghcr.io/acme/web@${DIGEST}`);
  for (const flags of [
    ['--image-src', 'remote'],
    ['--scanners', 'vuln'],
    ['--platform', 'linux/amd64'],
    ['--format', 'json'],
  ])
    assert.ok(call.args.join(' ').includes(flags.join(' ')), flags.join(' '));
  assert.ok(call.args.includes('--skip-db-update') && call.args.includes('--skip-java-db-update'));
});

test('nothing of our environment, and no file beside it, reaches the program', { skip }, async (t) => {
  const env = {
    ...{
      PATH: process.env['PATH'],
      HOME: '/home/somebody',
      DOCKER_CONFIG: '/home/somebody/.docker',
      HTTPS_PROXY: 'http://proxy:3128',
      AWS_ROLE_ARN: 'arn',
    },
    ...{
      DATA_KEY: 'key',
      IPO_DATABASE_URL: 'postgres://u:p@h/d',
      PGPASSWORD: 'p',
      NODE_OPTIONS: '--inspect',
    },
    ...{
      TRIVY_SEVERITY: 'CRITICAL',
      TRIVY_IGNORE_UNFIXED: 'true',
      TRIVY_IGNOREFILE: '/etc/x',
      TRIVY_VEX: 'repo',
    },
  };
  const { trivy, standIn } = await open(t, {}, { env, memory: 1_073_741_824 });
  await scan(trivy);
  for (const call of standIn.calls()) {
    const names = Object.keys(call.env).toSorted();
    const known = [
      ...['AWS_ROLE_ARN', 'GOMEMLIMIT', 'HOME', 'HTTPS_PROXY', 'PATH', 'TMPDIR'],
      ...['TRIVY_DISABLE_TELEMETRY', 'TRIVY_SKIP_VERSION_CHECK', 'DOCKER_CONFIG'],
    ];
    assert.deepEqual(call.docker, { auths: {} }, 'none of ours, which could name credential helpers');
    assert.deepEqual(
      names.filter((name) => !known.includes(name)),
      [],
    );
    assert.equal(call.env['GOMEMLIMIT'], '1073741824B');
    assert.equal(call.env['TMPDIR'], call.cwd);
  }
  // Where it works there is no trivy.yaml and no .trivyignore, and nothing is left of it.
  assert.deepEqual(readdirSync(join(standIn.directory, 'work')), []);
});

test('a credential goes only to its own registry, in a file that is gone afterwards', { skip }, async (t) => {
  const { trivy, standIn } = await open(t);
  const password = new Secret('s3cret, with "quotes"');
  await scan(trivy, { kind: 'password', username: 'robot$ci', password });
  await scan(trivy, { kind: 'identity_token', token: new Secret('refresh') }, 'docker.io/acme/web');
  await scan(trivy, { kind: 'access_token', token: new Secret('access') }, 'localhost:5000/web');
  const auth = Buffer.from(`robot$ci:${password.reveal()}`).toString('base64');
  assert.deepEqual(
    standIn.scans().map(({ docker }) => docker),
    [
      { auths: { 'ghcr.io': { auth } } },
      { auths: { 'https://index.docker.io/v1/': { identitytoken: 'refresh' } } },
      { auths: { 'localhost:5000': { registrytoken: 'access' } } },
    ],
  );
  for (const { args, env, cwd } of standIn.scans()) {
    assert.doesNotMatch(JSON.stringify([args, Object.values(env)]), /s3cret|refresh"|access"/);
    assert.ok(!env['DOCKER_CONFIG']?.startsWith(cwd), 'not where the program works');
  }
  assert.deepEqual(readdirSync(join(standIn.directory, 'work')), []);
});

test('what a program says in its fault holds no secret', { skip }, async (t) => {
  const password = new Secret('hunter2hunter2');
  const auth = Buffer.from(`robot:${password.reveal()}`).toString('base64');
  const said = `unable to find the specified image "x": remote error: GET https://robot:hunter2hunter2@ghcr.io: Basic ${auth}: DENIED`;
  const { trivy } = await open(t, { mode: 'fail', said });
  await assert.rejects(scan(trivy, { kind: 'password', username: 'robot', password }), (error) => {
    assert.ok(
      fails(
        'image',
        /trivy failed: GET https:\/\/robot:\[redacted\]@ghcr\.io: Basic \[redacted\]: DENIED/,
      )(error),
    );
    const text = JSON.stringify([(error as Error).message, String((error as Error).cause)]);
    assert.ok(!text.includes('hunter2') && !text.includes(auth), text);
    return true;
  });
});

test(
  'no report that is cut off, late, too long, foreign or of a program that failed ever counts',
  { skip },
  async (t) => {
    const { trivy, standIn } = await open(t);
    const cases = [
      [{ mode: 'truncate' }, 'invalid_report', /cut off/],
      [{ mode: 'empty' }, 'invalid_report', /empty/],
      [{ mode: 'garbage' }, 'invalid_report', /not JSON/],
      [{ mode: 'killed' }, 'unavailable', /killed by SIGKILL/],
      [{ mode: 'status' }, 'unavailable', /ended with status 1/],
      [{ mode: 'files' }, 'invalid_report', /something else than an image/],
    ] as const;
    for (const [plan, code, message] of cases) {
      standIn.plan({ report: REPORT, ...plan });
      await assert.rejects(scan(trivy), { code, message }, plan.mode);
    }
  },
);

test('a program that hangs is killed with everything that it started', { skip }, async (t) => {
  const { trivy, standIn } = await open(t, { mode: 'family' }, { timeoutMs: 500, slackMs: 500 });
  await assert.rejects(scan(trivy), fails('late', /did not end within 1 seconds/));
  await gone(standIn);
  // What outlives a program that ended well holds its output open: nobody knows whether it is whole.
  standIn.plan({ report: REPORT, mode: 'orphan' });
  const later = await openTrivy({ ...optionsOf(standIn), timeoutMs: 30_000 });
  await assert.rejects(scan(later), fails('report', /held its output open/));
});

test('a program that writes without end is killed', { skip }, async (t) => {
  const { trivy } = await open(t, { mode: 'flood' });
  await assert.rejects(scan(trivy), fails('report', /wrote more than 67108864 bytes/));
});

test('an abort ends what runs', { skip }, async (t) => {
  const { trivy, standIn } = await open(t, { mode: 'hang' });
  const stop = new AbortController();
  const ended = assert.rejects(
    trivy.scan({ reference: at('ghcr.io/acme/web'), credential: null, signal: stop.signal }),
    fails('stopped'),
  );
  while (standIn.scans().length === 0) await new Promise((resume) => setImmediate(resume));
  stop.abort();
  await ended;
  await gone(standIn);
});

test('faults of a registry are of the image, those of Trivy itself of the scanner', { skip }, async (t) => {
  const { trivy, standIn } = await open(t);
  const cases = [
    [
      'image',
      'run error: image scan error: unable to find the specified image "x" in ["remote"]: 1 error occurred: * remote error: GET https://ghcr.io/v2/: MANIFEST_UNKNOWN: no space left on device',
    ],
    ['image', 'remote error: no child with platform linux/amd64 in index ghcr.io/acme/web'],
    ['scanner', 'init error: DB error: failed to download vulnerability DB: OCI artifact error'],
    ['scanner', 'init error: --skip-db-update cannot be specified on the first run'],
    ['scanner', 'unable to initialize fs cache: cache may be in use by another process: timeout'],
    ['scanner', 'init error: unable to create the cache: write /x: no space left on device'],
    // An image of that name, size or registry must not have all others wait.
    [
      'failed',
      'image scan error: scan error: scan failed: failed analysis: analyze error: pipeline error: failed to analyze layer (sha256:06e8): walk error: failed to process the file: failed to analyze opt/vulnerability DB.jar: unexpected EOF',
    ],
    [
      'failed',
      'image scan error: scan error: scan failed: failed analysis: analyze error: pipeline error: failed to analyze layer (sha256:06e8): unable to get uncompressed layer sha256:06e8: failed to copy the image: write /tmp/fanal-3: no space left on device',
    ],
    [
      'failed',
      'scan failed: failed analysis: analyze error: GET https://evil.example/v2/x/blobs/sha256:0: unexpected status code 500: \n2026-11-20T06:00:00Z\tFATAL\tFatal error\tfailed to open vulnerability DB',
    ],
    [
      'failed',
      `${'x'.repeat(9000)}\n2026-11-20T06:00:00Z\tFATAL\tFatal error\tfailed to open vulnerability DB`,
    ],
    ['scanner', 'unknown flag: --pkg-types'],
    ['late', 'image scan failed: failed analysis: analyze error: timeout: context deadline exceeded'],
    ['failed', 'unable to analyze: --skip-java-db-update cannot be specified on the first run'],
    ['failed', 'something new'],
  ] as const;
  for (const [fault, said] of cases) {
    standIn.plan({ report: REPORT, mode: 'fail', said });
    await assert.rejects(scan(trivy), fails(fault), said);
  }
});

test('without a program, or without a database, the scanner itself is at fault', { skip }, async (t) => {
  const standIn = standInTrivy(t, { report: REPORT });
  const missing = await openTrivy({ ...optionsOf(standIn), program: '/nowhere/trivy' });
  await assert.rejects(
    scan(missing),
    fails('scanner', /\/nowhere\/trivy cannot be started: it is not there/),
  );
  const bare = await openTrivy(optionsOf(standIn));
  assert.equal((await bare.state(signal)).updatedAt, null);
  await assert.rejects(scan(bare), fails('scanner', /no vulnerability database has been downloaded yet/));
});

test('a database that changes during a scan is recorded as the older one', { skip }, async (t) => {
  const { trivy } = await open(t, { mode: 'moves', database: '2026-11-20T00:00:00Z' });
  const { scan: record } = await scan(trivy);
  assert.equal(record.scanner?.dbUpdatedAt, '2026-11-20T00:00:00Z');
});

test('scans at once have caches of their own, and one database', { skip }, async (t) => {
  const { trivy, standIn } = await open(t, { mode: 'slow' });
  await Promise.all([scan(trivy), scan(trivy, null, 'ghcr.io/acme/api')]);
  const caches = standIn.scans().map(({ args }) => args[args.indexOf('--cache-dir') + 1]);
  assert.equal(new Set(caches).size, 2);
});

test(
  'a refresh downloads both databases from where it is told, and a fault of it is said',
  { skip },
  async (t) => {
    const databases = {
      vulnerabilities: 'mirror.example.com/trivy-db:2',
      java: 'mirror.example.com/java-db:1',
    };
    const { trivy, standIn } = await open(t, {}, { databases });
    const downloads = standIn.calls().filter(({ args }) => args.some((arg) => arg.startsWith('--download')));
    assert.deepEqual(
      downloads.map(({ args }) => args.slice(-2)),
      [
        ['--db-repository', databases.vulnerabilities],
        ['--java-db-repository', databases.java],
      ],
    );
    standIn.plan({
      report: REPORT,
      download: 'failed to download vulnerability DB: dial tcp: lookup mirror: no such host',
    });
    await assert.rejects(trivy.refresh(signal), fails('scanner', /no such host/));
  },
);

test('what a crash left running and lying about is cleared at the next start', { skip }, async (t) => {
  const { standIn } = await open(t, { mode: 'hang' });
  const left = join(standIn.directory, 'work', 'run-left', 'cwd');
  mkdirSync(left, { recursive: true });
  writeFileSync(join(left, 'layer'), 'x');
  const { spawn } = await import('node:child_process');
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
    cwd: left,
    stdio: 'ignore',
  });
  const ended = new Promise((done) => child.once('exit', (_, by) => done(by)));
  await new Promise((resume) => child.once('spawn', resume));
  await openTrivy(optionsOf(standIn));
  assert.equal(await ended, 'SIGKILL');
  assert.deepEqual(readdirSync(join(standIn.directory, 'work')), []);
});

test('with a server, that one’s database counts, and its token is not an argument', { skip }, async (t) => {
  let asked = 0;
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    asked += request.url === '/trivy/version' ? 1 : 0;
    response.end(
      JSON.stringify({
        Version: '0.71.0',
        VulnerabilityDB: { Version: 2, UpdatedAt: '2026-11-19T18:00:00Z' },
      }),
    );
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/trivy`;
  const { trivy, standIn } = await open(t, {}, { server: { url, token: 'trivy-token' } });
  assert.deepEqual(await trivy.refresh(signal), { version: '0.71.0', updatedAt: Date.UTC(2026, 10, 19, 18) });
  const report = await scan(trivy);
  assert.equal(report.scan.scanner?.dbUpdatedAt, '2026-11-19T18:00:00Z');
  assert.ok(asked >= 3);
  const [call] = standIn.scans();
  assert.ok(call !== undefined);
  assert.ok(call.args.join(' ').includes(`--server ${url}`));
  assert.ok(!call.args.includes('--skip-db-update'));
  assert.deepEqual(
    [call.env['TRIVY_TOKEN'], JSON.stringify(call.args).includes('trivy-token')],
    ['trivy-token', false],
  );
  server.closeAllConnections();
  await new Promise<void>((closed) => server.close(() => closed()));
  await assert.rejects(scan(trivy), fails('scanner', /cannot be reached/));
});

function optionsOf(standIn: StandIn): TrivyOptions {
  return {
    ...{ program: standIn.program, directory: standIn.directory, atOnce: 2, timeoutMs: 30_000, server: null },
    ...{
      platform: 'linux/amd64',
      update: true,
      databases: { vulnerabilities: null, java: null },
      memory: null,
    },
    env: { PATH: process.env['PATH'] },
  };
}

/** Waits until no process of the group of a scan is left. */
async function gone(standIn: StandIn): Promise<void> {
  for (const { pid } of standIn.scans()) {
    for (;;) {
      try {
        process.kill(-pid, 0);
      } catch {
        break;
      }
      await new Promise((resume) => setImmediate(resume));
    }
  }
}
