import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test, type TestContext } from 'node:test';
import { makeCertificate, withoutOpenssl } from '../app/certificate.ts';
import { ipo } from './fake-terminal.ts';

const directory = mkdtempSync(join(tmpdir(), 'ipo-check-registry-'));
after(() => rmSync(directory, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

const policyOf = (name: string, spec: object): string =>
  file(
    `${name}.json`,
    JSON.stringify({ apiVersion: 'ipo.dev/v1', kind: 'ImagePolicy', metadata: { name }, spec }),
  );
const SIGNED = policyOf('signed', {
  enforcement: 'Enforce',
  signature: { required: true, identities: [{ identity: 'shop@example.com' }] },
});
const PLAIN = policyOf('plain', { enforcement: 'Enforce', severityThreshold: 'CRITICAL' });
const DIGEST = `sha256:${'a'.repeat(64)}`;
/** Nobody's credentials, configuration or cache. */
const ALONE = { HOME: directory, XDG_CONFIG_HOME: directory };

const check = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  ipo(['check', ...args], { env: { ...ALONE, ...env } });

async function listen(t: TestContext, server: Server & { closeAllConnections(): void }): Promise<string> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A registry of one image to which nothing is attached; with a password it is asked for. */
function registry(asks: boolean): RequestListener {
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifests: [],
  });
  return (request, response) => {
    if (asks && request.headers.authorization === undefined) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="test"' }).end('{}');
    } else if (request.url?.startsWith('/v2/shop/web/manifests/') === true && !request.url.endsWith(DIGEST)) {
      response.writeHead(200, { 'content-type': 'application/vnd.oci.image.index.v1+json' }).end(manifest);
    } else {
      response
        .writeHead(404, { 'content-type': 'application/json' })
        .end('{"errors":[{"code":"MANIFEST_UNKNOWN"}]}');
    }
  };
}

/** An address at which nothing listens any more. */
async function nobody(t: TestContext): Promise<string> {
  const server = createServer();
  const host = await listen(t, server);
  await new Promise((done) => server.close(done));
  return host;
}

test(
  'a registry of this machine is called by TLS where it speaks it',
  { skip: withoutOpenssl },
  async (t) => {
    const { cert, key } = makeCertificate(directory, 'registry');
    const host = await listen(
      t,
      createTlsServer({ cert: readFileSync(cert), key: readFileSync(key) }, registry(true)),
    );
    const image = `${host}/shop/web:1`;
    const unknown = await check(['-p', SIGNED, image]);
    assert.match(unknown.err, /no trusted authority signed; name its authority with --registry-ca\n/);
    const unnamed = await check(['-p', SIGNED, '--registry-ca', cert, image]);
    assert.match(unnamed.err, new RegExp(`wants a credential .*; sign in with docker login ${host}, or`));

    const auth = Buffer.from('user:pass').toString('base64');
    file('config.json', JSON.stringify({ auths: { [host]: { auth } } }));
    const told = await check(['-p', SIGNED, '--registry-ca', cert, image], { DOCKER_CONFIG: directory });
    assert.doesNotMatch(told.err, /credential|plain HTTP/);
    assert.equal(told.code, 1);
    assert.match(told.out, /have it signed by shop@example\.com\n/);
  },
);

test('what could not be asked is not called unsigned, by tag as by digest, and is said once for all images', async (t) => {
  const host = await nobody(t);
  const advice = `check that ${host} runs and can be reached from here, and try again`;
  const byTag = await check(['-p', SIGNED, ...[1, 2, 3].map((tag) => `${host}/shop/web:${tag}`)]);
  assert.equal(byTag.code, 3);
  assert.match(byTag.out.replaceAll(/\s+/g, ' '), /not decided: it is unknown who signed it/);
  assert.doesNotMatch(byTag.out, /have it signed/);
  assert.equal(byTag.err, `ipo: ${host}/shop/web:1 and 2 more: ${host} refuses connections; ${advice}\n`);
  const byDigest = await check(['-p', SIGNED, `${host}/shop/web@${DIGEST}`]);
  assert.equal(byDigest.code, 3);
  assert.match(byDigest.out, /see why its registry could not be asked or read/);
  assert.doesNotMatch(byDigest.out, /--registry always/);
  assert.ok(byDigest.err.includes(`@${DIGEST}: manifest: ${host} refuses connections; ${advice}\n`));
});

test('a digest that its registry does not have is neither admitted nor refused: 3', async (t) => {
  const host = await listen(t, createServer(registry(false)));
  const { code, out, err } = await check(['-p', SIGNED, `${host}/shop/web@${DIGEST}`]);
  assert.equal(code, 3, out);
  assert.match(err, /has no shop\/web@sha256:/);
});

test('a tag that its registry does not tell, of which a report tells the digest, is undecided', async (t) => {
  const host = await nobody(t);
  const report = file(
    'report.json',
    JSON.stringify({
      SchemaVersion: 2,
      ArtifactName: `${host}/shop/web:1`,
      ArtifactType: 'container_image',
      Metadata: { RepoTags: [`${host}/shop/web:1`], RepoDigests: [`${host}/shop/web@${DIGEST}`] },
      Results: [{ Target: 'alpine', Class: 'os-pkgs', Type: 'alpine', Packages: [] }],
    }),
  );
  const { code, out } = await check(['-p', SIGNED, '--trivy', report, '--by-name', `${host}/shop/web:1`]);
  assert.match(out, /not decided: it is unknown who signed it/);
  assert.equal(code, 3);
});

/** A registry whose tag stands for one digest now, and what it was asked. */
async function moved(t: TestContext, digest: string): Promise<{ host: string; asked: string[] }> {
  const asked: string[] = [];
  const host = await listen(
    t,
    createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      const type = 'application/vnd.oci.image.index.v1+json';
      if (request.url === '/v2/shop/web/manifests/1')
        response.writeHead(200, { 'content-type': type, 'docker-content-digest': digest }).end();
      else response.writeHead(404).end('{"errors":[{"code":"MANIFEST_UNKNOWN"}]}');
    }),
  );
  return { host, asked };
}

/** A report that found nothing in an image by this tag, under these digests. */
const cleanReport = (host: string, ...digests: readonly string[]): string =>
  file(
    `clean-${digests.length}.json`,
    JSON.stringify({
      SchemaVersion: 2,
      ArtifactName: `${host}/shop/web:1`,
      ArtifactType: 'container_image',
      Metadata: {
        RepoTags: [`${host}/shop/web:1`],
        RepoDigests: digests.map((digest) => `${host}/shop/web@${digest}`),
      },
      Results: [{ Target: 'alpine', Class: 'os-pkgs', Type: 'alpine', Packages: [] }],
    }),
  );

test('a report counts for a tag only where the tag stands for its digest now, under whatever policy', async (t) => {
  const other = `sha256:${'b'.repeat(64)}`;
  const { host, asked } = await moved(t, DIGEST);
  const image = `${host}/shop/web:1`;
  const same = await check(['-p', PLAIN, '-t', cleanReport(host, DIGEST), image]);
  assert.equal(same.code, 0, same.out);
  assert.deepEqual(asked, ['HEAD /v2/shop/web/manifests/1']);
  for (const flags of [[], ['--by-name']]) {
    const old = await check([
      '-p',
      PLAIN,
      '-t',
      cleanReport(host, other),
      ...flags,
      '--registry',
      'always',
      image,
    ]);
    assert.equal(old.code, 3, 'the registry was asked for all, and has no such image: not decided');
  }
  const old = await check(['-p', PLAIN, '-t', cleanReport(host, other), image]);
  assert.equal(old.code, 1);
  assert.match(old.out, /not decided: it is unknown what a scan for vulnerabilities finds/);
  assert.match(
    old.err,
    new RegExp(`the tag has the digest ${DIGEST} now; the report given is about another image`),
  );
  const nameless = await check(['-p', PLAIN, '-t', cleanReport(host), image]);
  assert.equal(nameless.code, 1);
  assert.match(nameless.err, /the report given names no digest/);
  assert.equal((await check(['-p', PLAIN, '-t', cleanReport(host), '--by-name', image])).code, 0);
});

test('a report counts for no tag that its registry does not have, or that nobody was asked about', async (t) => {
  const { host } = await moved(t, DIGEST);
  const report = cleanReport(host, DIGEST);
  for (const [flags, image, said] of [
    [[], `${host}/shop/api:1`, /its registry has no such tag/],
    [['--offline'], `${host}/shop/web:1`, /the registry was not asked for the digest of this tag/],
    [['--registry', 'never'], `${host}/shop/web:1`, /the registry was not asked for the digest of this tag/],
  ] as const) {
    const named = file(
      'named.json',
      readFileSync(report, 'utf8').replaceAll(`${host}/shop/web`, image.slice(0, -2)),
    );
    const open = await check(['-p', PLAIN, '-t', named, ...flags, image]);
    assert.equal(open.code, 1, open.out);
    assert.match(open.err, said);
    assert.match(open.out.replaceAll(/\s+/g, ' '), /--by-name/);
    assert.equal((await check(['-p', PLAIN, '-t', named, ...flags, '--by-name', image])).code, 0);
  }
});

test('a report of a tag counts beside an export only once the registry told the digest', async (t) => {
  const { host, asked } = await moved(t, DIGEST);
  const other = `sha256:${'b'.repeat(64)}`;
  const ledger = file(
    'empty.ndjson',
    `${JSON.stringify({ type: 'header', format: 'ipo.ledger/1', exported_at: '2026-11-20T06:00:00Z', cluster: null, rows: 0, images: 0 })}\n`,
  );
  const old = await check(['-p', PLAIN, '-l', ledger, '-t', cleanReport(host, other), `${host}/shop/web:1`]);
  assert.equal(old.code, 1, old.out);
  assert.equal(asked.length, 1);
});

test('what an audit policy cannot say is said as well, in every format', async (t) => {
  const audit = policyOf('audit', {
    signature: { required: true, identities: [{ identity: 'shop@example.com' }] },
  });
  const image = `${await nobody(t)}/shop/web@${DIGEST}`;
  for (const format of ['table', 'json', 'markdown', 'sarif', 'junit', 'github']) {
    const { code, out } = await check(['-p', audit, '-o', format, image]);
    assert.equal(code, 3);
    assert.match(out, /it is unknown who signed it/, format);
    if (format !== 'json') assert.doesNotMatch(out, /To pass:/, format);
  }
});

test('where nobody looked for a signature, that is said beside the remedy', async () => {
  const { out } = await check(['-p', SIGNED, '--offline', `registry.example/shop/web@${DIGEST}`]);
  assert.match(out.replaceAll(/\s+/g, ' '), /have it signed by shop@example\.com; .* nobody looked/);
});

test('files that are named are read, whether or not a signature needs them', async (t) => {
  const host = await listen(t, createServer(registry(false)));
  const image = `${host}/shop/web:1`;
  const none = join(directory, 'none.json');
  const text = file('text.pem', 'no PEM');
  for (const [flag, path, code] of [
    ['--trust-root', none, 3],
    ['--trust-root', text, 2],
    ['--vex', none, 3],
    ['--registry-ca', none, 3],
    ['--registry-ca', text, 2],
  ] as const) {
    const { code: given, err } = await check(['-p', SIGNED, flag, path, image]);
    assert.equal(given, code, `${flag} ${path}: ${err}`);
    assert.ok(err.startsWith(`ipo: ${path}: `), err);
  }
});

test('flags that would change nothing are refused', async () => {
  const image = 'registry.example/shop/web:1';
  for (const [args, said] of [
    [['--offline', '--registry', 'always'], /--offline and --registry always exclude each other/],
    [['--offline', '--vex', 'a.json'], /Leave out --offline/],
    [['--registry', 'never', '--vex', 'a.json'], /Leave out --registry never/],
    [['--insecure-registry', 'http://registry.example:5000'], /Write it as registry\.example:5000/],
    [['--insecure-registry', 'registry'], /not a valid registry host/],
  ] as const) {
    const { code, err } = await check(['-p', SIGNED, ...args, image]);
    assert.equal(code, 2, err);
    assert.match(err, said);
  }
});

test('what helps an image is not the flag that --offline excludes', async () => {
  for (const image of [`registry.example/shop/web@${DIGEST}`, 'registry.example/shop/web:1']) {
    const { out } = await check(['-p', SIGNED, '--offline', image]);
    assert.match(
      out.replaceAll(/\s+/g, ' '),
      /ask its registry \(without --offline, with --registry always\)/,
    );
    const never = await check(['-p', SIGNED, '--registry', 'never', image]);
    assert.match(never.out.replaceAll(/\s+/g, ' '), /ask its registry \(--registry always\)/);
  }
});

/** A service that has recorded images of one name, each scanned without a finding. */
function serviceOf(name: string, digests: readonly string[]): RequestListener {
  const scanner = { name: 'trivy', version: '0.72.0', db_updated_at: '2026-11-20T00:12:00Z' };
  const facts = { scan: { scanned_at: '2026-11-20T02:00:00Z', scanner, findings: [] } };
  return ({ url = '' }, response) => {
    const { pathname } = new URL(url, 'http://service');
    const digest = /^\/api\/v1\/images\/(.+)\/facts$/.exec(decodeURIComponent(pathname))?.[1];
    const body =
      pathname === '/api/v1/images'
        ? { total: digests.length, items: digests.map((one) => ({ name, digest: one })) }
        : {
            cold_image_policy: 'AllowAndScan',
            ...(digest !== undefined && { image: { digest, names: [name], ...facts }, scan_failures: [] }),
          };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
}

test('--by-name takes the digest of a tag from a service, and asks no registry for it', async (t) => {
  const { host, asked } = await moved(t, `sha256:${'c'.repeat(64)}`);
  const image = `${host}/shop/web:1`;
  const one = await listen(t, createServer(serviceOf(image, [DIGEST])));
  const known = await check(['-p', PLAIN, '--by-name', '-o', 'json', image], {
    IPO_SERVER: `http://${one}`,
    IPO_TOKEN: 'token',
  });
  assert.deepEqual([known.code, asked], [0, []], known.err + known.out);
  assert.equal(JSON.parse(known.out).results[0].digest, DIGEST);
  const two = await listen(t, createServer(serviceOf(image, [DIGEST, `sha256:${'b'.repeat(64)}`])));
  const open = await check(['-p', PLAIN, '--by-name', image], {
    IPO_SERVER: `http://${two}`,
    IPO_TOKEN: 'token',
  });
  assert.deepEqual([open.code, asked], [1, []], open.err + open.out);
  assert.match(open.err + open.out, /several images of the service/);
});

test('a service that nobody named does not stand in the way unsaid', async (t) => {
  const refusing = await listen(
    t,
    createServer((_request, response) => {
      response
        .writeHead(401, { 'content-type': 'application/problem+json' })
        .end(JSON.stringify({ status: 401, code: 'unauthenticated', detail: 'the sign-in has ended' }));
    }),
  );
  const image = `registry.example/shop/web@${DIGEST}`;
  const ended = await check(['-p', PLAIN, image], { IPO_SERVER: `http://${refusing}`, IPO_TOKEN: 'old' });
  assert.equal(ended.code, 3);
  assert.match(ended.err, /the service does not know the token from IPO_TOKEN/);
  assert.match(ended.err, /ipo check --offline/);
  const down = await check(['-p', PLAIN, image], {
    IPO_SERVER: `http://${await nobody(t)}`,
    IPO_TOKEN: 'token',
  });
  assert.equal(down.code, 3);
  assert.match(down.err, /ipo check --offline/);
  const named = await check(['-p', PLAIN, '--server', `http://${refusing}`, image], { IPO_TOKEN: 'old' });
  assert.match(named.err, /the service does not know the token from IPO_TOKEN/);
  assert.doesNotMatch(named.err, /--offline/);
});
