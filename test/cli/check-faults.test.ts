import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CheckDocument } from '../../src/checks/index.ts';
import {
  startFakeRegistry,
  type Answering,
  type Asked,
  type FakeRegistry,
} from '../registry/fake-registry.ts';
import { imageOf, push, type MadeImage } from '../registry/images.ts';
import { TORTURE } from '../runs.ts';
import { ipo } from './fake-terminal.ts';

const directory = mkdtempSync(join(tmpdir(), 'ipo-check-faults-'));
const ends: (() => void | Promise<void>)[] = [];
const ending = { after: (end: () => void | Promise<void>) => void ends.push(end) };
after(async () => {
  for (const end of ends) await end();
  rmSync(directory, { recursive: true, force: true });
});

function file(name: string, value: object): string {
  const path = join(directory, name);
  writeFileSync(path, JSON.stringify(value));
  return path;
}

const policyOf = (name: string, spec: object): string =>
  file(`${name}.json`, {
    apiVersion: 'ipo.dev/v1',
    kind: 'ImagePolicy',
    metadata: { name },
    spec: { enforcement: 'Enforce', ...spec },
  });

const identities = [{ identity: 'ci@example.com' }];
/** What each gate asks for, and the fact that it lacks where nobody tells. */
const GATES = {
  signature: { spec: { signature: { required: true, identities } }, fact: 'signatures' },
  attestation: {
    spec: { attestations: [{ predicateType: 'https://example.com/t', identities }] },
    fact: 'attestations',
  },
  provenance: {
    spec: { provenance: { minLevel: 1, trustedBuilders: [{ id: 'https://example.com/b', level: 2 }] } },
    fact: 'provenance',
  },
  vex: { spec: { vex: { mode: 'apply', trustedIssuers: identities } }, fact: 'vex' },
  threshold: { spec: { severityThreshold: 'CRITICAL' }, fact: 'findings' },
} as const;
type Gate = keyof typeof GATES;

const LATER = { 'retry-after': '3600' };
const plain = (status: number, headers: Readonly<Record<string, string>> = {}, body = '{}') =>
  ((response: ServerResponse) => void response.writeHead(status, headers).end(body)) satisfies Fault;
type Fault = (response: ServerResponse, asked: Asked) => void;

/** Every way in which a registry, or what stands before it, does not tell what it has. */
const FAULTS: Readonly<Record<string, Fault>> = {
  '401': plain(401, { 'www-authenticate': 'Basic realm="r"' }),
  '403': plain(403, {}, '{"errors":[{"code":"DENIED"}]}'),
  '404 with a page': plain(404, { 'content-type': 'text/html' }, '<html>not here</html>'),
  '404 with nothing': plain(404, {}, ''),
  '404 of another server': plain(404, { 'content-type': 'application/json' }, '{"message":"no route"}'),
  '429': plain(429, LATER),
  '500': plain(500),
  '502': plain(502, LATER, '<html>bad gateway</html>'),
  '503': plain(503, LATER),
  '504': plain(504, LATER),
  '200 with a page': plain(200, { 'content-type': 'text/html' }, '<html>sign in</html>'),
  'a connection that is cut': (response) => void response.destroy(),
  'a body that is cut short': (response, { method }) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    if (method === 'HEAD') response.end();
    else response.write('{"schemaVersion":2', () => response.destroy());
  },
  'content of another digest': (response, { method }) => {
    const body = '{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[]}';
    const digest = method === 'HEAD' ? {} : { 'docker-content-digest': `sha256:${'e'.repeat(64)}` };
    response.writeHead(200, {
      'content-type': 'application/vnd.oci.image.index.v1+json',
      ...digest,
    });
    response.end(method === 'HEAD' ? undefined : body);
  },
};

/** Where a fault may stand: everywhere, or at one thing alone that is asked for. */
const STEPS: Readonly<Record<string, { readonly at: RegExp; readonly lists: readonly Gate[] }>> = {
  manifest: { at: /\/manifests\/sha256:/, lists: ['signature', 'attestation', 'provenance', 'vex'] },
  referrers: { at: /\/referrers\//, lists: ['signature', 'attestation', 'provenance', 'vex'] },
  'the tag .sig': { at: /\.sig$/, lists: ['signature'] },
  'the tag .att': { at: /\.att$/, lists: ['attestation', 'provenance', 'vex'] },
};

/** What is asked for at once of an image whose manifest is known. */
const AT_ONCE = [/\/referrers\//, /\.sig$/, /\.att$/];

/**
 * last answers what `at` names with a fault, once all else that is asked for at the same time has its answer: a registry that is busy is not
 * asked again, and what it had not answered by then would be unknown too.
 */
function last(at: RegExp, fault: Fault): Answering {
  const others = AT_ONCE.some((each) => each.source === at.source)
    ? AT_ONCE.filter((each) => each.source !== at.source).map((each) => ({
        each,
        ...Promise.withResolvers<void>(),
      }))
    : [];
  const answered = Promise.all(others.map(({ promise }) => promise)).then(() => sleep(20));
  return (asked, response) => {
    if (!at.test(asked.url)) {
      for (const { each, resolve } of others) if (each.test(asked.url)) response.once('finish', resolve);
      return false;
    }
    void (others.length === 0 ? fault(response, asked) : answered.then(() => fault(response, asked)));
    return true;
  };
}

let fake: FakeRegistry;
let made: MadeImage;
let policies: Readonly<Record<Gate, string>>;
let reports: { readonly clean: string; readonly critical: string };
before(async () => {
  fake = await startFakeRegistry(ending);
  made = imageOf('web');
  await push(fake.url, 'shop/web', { blobs: made.blobs, manifests: [{ content: made.manifest, as: '1' }] });
  policies = Object.fromEntries(
    Object.entries(GATES).map(([gate, { spec }]) => [gate, policyOf(gate, spec)]),
  ) as Record<Gate, string>;
  const finding = {
    VulnerabilityID: 'CVE-2026-1',
    PkgName: 'p',
    InstalledVersion: '1',
    Severity: 'CRITICAL',
  };
  const reportOf = (name: string, found: readonly object[]): string =>
    file(`${name}.json`, {
      SchemaVersion: 2,
      ArtifactName: `${fake.host}/shop/web:1`,
      ArtifactType: 'container_image',
      Metadata: {
        RepoTags: [`${fake.host}/shop/web:1`],
        RepoDigests: [`${fake.host}/shop/web@${made.manifest.digest}`],
      },
      Results: [{ Target: 'alpine', Class: 'os-pkgs', Type: 'alpine', Vulnerabilities: found }],
    });
  reports = { clean: reportOf('clean', []), critical: reportOf('critical', [finding]) };
});

const WAYS = ['tag', 'digest'] as const;
const imageBy = (way: (typeof WAYS)[number], tag = '1'): string =>
  way === 'tag' ? `${fake.host}/shop/web:${tag}` : `${fake.host}/shop/web@${made.manifest.digest}`;

async function check(gate: Gate, image: string, ...args: readonly string[]) {
  const report = gate === 'vex' ? reports.critical : gate === 'threshold' ? reports.clean : null;
  const ran = await ipo(
    ['check', '-o', 'json', '-p', policies[gate], ...(report === null ? [] : ['-t', report]), ...args, image],
    { env: { HOME: directory, XDG_CONFIG_HOME: directory } },
  );
  assert.notEqual(ran.out, '', ran.err);
  const document = JSON.parse(ran.out) as CheckDocument;
  const [first] = document.results;
  assert.ok(first);
  return { ...ran, document, first };
}

/** Exit 3, neither admitted nor refused, and both outputs say what is unknown, of which host, and what to do. */
async function assertUnknown(gate: Gate, image: string, why: string): Promise<void> {
  const { code, err, first } = await check(gate, image);
  const fact = image.includes('@') ? GATES[gate].fact : first.unknown[0]?.fact;
  assert.deepEqual([code, first.allowed, first.label], [3, null, null], `${why}: ${err}`);
  assert.equal(first.unknown[0]?.fact, fact, why);
  assert.ok(first.unknown[0]?.reason.includes(fake.host), `${why}: ${first.unknown[0]?.reason}`);
  assert.match(err, new RegExp(`${fake.host}.*; (?:check|wait|sign in)`), why);
}

const gates = Object.keys(GATES) as Gate[];
/** By timers of the machine. */
const QUICK = TORTURE ? false : 'waits for real: npm run torture';
/** In the test command some of the cells, each fault both ways and each gate among them; all of them under torture. */
const isCell = (i: number, every: number): boolean => TORTURE || i % every === 0;

suite('what a registry does not tell is unknown, never absent', () => {
  test('whatever its fault, by tag as by digest, at every gate', async () => {
    let cells = 0;
    for (const [name, fault] of Object.entries(FAULTS))
      for (const way of WAYS)
        for (const gate of gates) {
          fake.answering = (asked, response) => {
            fault(response, asked);
            return true;
          };
          const why = `${name}, by ${way}, ${gate}`;
          if (!isCell((cells += 1), 2)) continue;
          if (gate !== 'threshold' || way === 'tag') await assertUnknown(gate, imageBy(way), why);
          else assert.equal((await check(gate, imageBy(way))).code, 0, `${why}: the report says it all`);
        }
    fake.answering = null;
    assert.equal(cells, 14 * 2 * 5);
  });

  test('whatever it is that cannot be asked for', async () => {
    let cells = 0;
    for (const [step, { at, lists }] of Object.entries(STEPS))
      for (const [name, fault] of Object.entries(FAULTS)) {
        // A registry without the API answers so, and is asked by the tag instead; and a list has no digest.
        if (step === 'referrers' && /^404 (?!with a page)|of another digest/.test(name)) continue;
        for (const way of WAYS)
          for (const gate of gates) {
            if (gate === 'threshold' || !isCell((cells += 1), 7)) continue;
            fake.answering = last(at, fault);
            const why = `${name} at ${step}, by ${way}, ${gate}`;
            if (lists.includes(gate)) await assertUnknown(gate, imageBy(way), why);
            else assert.equal((await check(gate, imageBy(way))).code, 1, `${why}: there is none`);
          }
      }
    fake.answering = null;
    assert.equal(cells, (4 * 14 - 3) * 2 * 4);
  });

  test('what the registry itself says is not there is absent: refused as unsigned, with 1', async () => {
    for (const gate of ['signature', 'attestation', 'provenance'] as const) {
      const bare = await check(gate, imageBy('tag'));
      assert.deepEqual([bare.code, bare.first.label, bare.first.digest], [1, gate, made.manifest.digest]);
      const absent = await check(gate, imageBy('tag', '2'));
      assert.deepEqual([absent.code, absent.first.label, absent.first.digest], [1, gate, null]);
      assert.match(absent.err, /has no shop\/web:2/);
    }
  });

  test('a registry that hangs is unknown once the time is over', { skip: QUICK }, async () => {
    fake.answering = () => true;
    for (const way of WAYS) {
      const { code, err, first } = await check('signature', imageBy(way), '--registry-timeout', '1s');
      assert.deepEqual([code, first.allowed], [3, null], err);
    }
    fake.answering = null;
  });

  test('one that is busy is asked again within the time, and then tells', { skip: QUICK }, async () => {
    let busy = true;
    fake.answering = (_, response) => {
      if (busy) plain(503)(response);
      const was = busy;
      busy = false;
      return was;
    };
    const { code, first } = await check('signature', imageBy('digest'));
    fake.answering = null;
    assert.deepEqual([code, first.label], [1, 'signature']);
  });
});
