import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { openVexSource } from '../../src/adapters/feeds/vex-source.ts';
import { openVerifier } from '../../src/adapters/sigstore/index.ts';
import { decide } from '../../src/decision/index.ts';
import { parseImageFacts, toImageFactsDocument, NO_FACTS, type Subject } from '../../src/facts/index.ts';
import { parsePolicies } from '../../src/policy/index.ts';
import {
  collectReference,
  isComplete,
  mergeProofs,
  NOTHING_KNOWN,
  VexLibrary,
  type Collected,
} from '../../src/supply-chain/index.ts';
import { imageOf, push } from '../registry/images.ts';
import { openClient, referenceTo } from '../registry/open.ts';
import { programOf, skipReal, startRealRegistry } from '../registry/real-registry.ts';

const run = promisify(execFile);
const COSIGN = programOf('cosign', 'COSIGN_BIN');
const skip =
  skipReal === false ? COSIGN === null && 'cosign is neither on the PATH nor named by COSIGN_BIN' : skipReal;

const CVE = 'CVE-2023-42363';
const log = { debug() {}, info() {}, warn() {}, error() {} };
const count = { add() {} };

async function standing(t: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'ipo-collect-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const real = await startRealRegistry(t);
  const env = { ...process.env, HOME: home, COSIGN_PASSWORD: '', DOCKER_CONFIG: home };
  const cosign = (...args: string[]) => run(COSIGN ?? '', args, { cwd: home, env, timeout: 60_000 });
  await cosign('generate-key-pair');
  const key = readFileSync(join(home, 'cosign.pub'), 'utf8');
  const verifier = openVerifier({ trust: null, log, entry: null });
  t.after(() => verifier.close());
  return { home, real, cosign, key, verifier, registry: openClient(t) };
}

/** Without any log or service of the public instance, which tests cannot reach. */
const OFFLINE = ['--key', 'cosign.key', '--yes', '--tlog-upload=false', '--use-signing-config=false'];
const OWN = [...OFFLINE, '--allow-insecure-registry'];

/** The verdict of a policy on what was collected, with one finding that a statement may take out. */
function judge(spec: object, image: string, collected: Collected): string {
  const text = JSON.stringify({
    apiVersion: 'ipo.dev/v1',
    kind: 'ImagePolicy',
    metadata: { name: 'p' },
    spec,
  });
  const [parsed] = parsePolicies(text, 'p.json').policies;
  const reference = referenceTo(image.slice(0, image.indexOf('/')), image.slice(image.indexOf('/') + 1));
  assert.ok(parsed !== undefined);
  const finding = {
    ...{ cve: CVE, severity: 'CRITICAL', package: 'busybox', installed: '1.36', fixed: null },
    ...{ known_exploited: false, triaged_until: null },
  };
  const { scan } = parseImageFacts({
    digest: collected.digest,
    scan: { scanned_at: null, scanner: null, os: null, findings: [finding] },
  });
  // As they are stored and read again.
  const facts = parseImageFacts(
    toImageFactsDocument({
      ...NO_FACTS,
      digest: collected.digest,
      scan,
      ...mergeProofs(NOTHING_KNOWN, collected),
    }),
  );
  const subject: Subject = {
    ...{ reference, digest: collected.digest, facts, signals: [], exposedBy: null, quota: null },
    ...{ coldImagePolicy: 'DenyUntilScanned', breakGlass: null },
  };
  const decision = decide(parsed.policy, subject, 0);
  return decision.kind === 'refuse' ? decision.label : decision.kind;
}

suite('what cosign attached to an image in a real registry', { skip }, () => {
  test('makes facts by which policies admit and refuse', async (t) => {
    const { home, real, cosign, key, verifier, registry } = await standing(t);
    const { manifest, blobs } = imageOf('web');
    const bare = imageOf('bare');
    const image = `${real.host}/shop/web:1`;
    await push(real.url, 'shop/web', {
      blobs: [...blobs, ...bare.blobs],
      manifests: [
        { content: manifest, as: '1' },
        { content: bare.manifest, as: 'bare' },
      ],
    });
    const target = `${real.host}/shop/web@${manifest.digest}`;
    await cosign('sign', ...OWN, '--new-bundle-format=false', target);
    const vex = {
      ...{ '@context': 'https://openvex.dev/ns/v0.2.0', '@id': 'https://shop.example/vex', author: 'shop' },
      ...{ timestamp: '2026-01-01T00:00:00Z', version: 1 },
      statements: [
        {
          ...{ vulnerability: { name: CVE }, status: 'not_affected', justification: 'component_not_present' },
          products: [{ '@id': 'pkg:oci/web' }],
        },
      ],
    };
    writeFileSync(join(home, 'vex.json'), JSON.stringify(vex));
    writeFileSync(join(home, 'custom.json'), '{"made":"here"}');
    await cosign(
      'attest',
      ...OWN,
      '--new-bundle-format=true',
      '--type',
      'openvex',
      '--predicate',
      'vex.json',
      target,
    );
    await cosign(
      ...(['attest', ...OWN, '--new-bundle-format=false', '--type', 'https://shop.example/v1'] as const),
      ...['--predicate', 'custom.json', target],
    );

    const deps = { registry, verifier, vexSources: null };
    const { signal } = new AbortController();
    const reference = referenceTo(real.host, 'shop/web:1');
    const { digest, collected } = await collectReference(deps, { reference, signal });
    assert.equal(digest, manifest.digest);
    assert.deepEqual(collected.problems, []);
    assert.ok(isComplete(collected));
    assert.deepEqual(collected.vexTally.statements, { not_affected: 1 });

    const other = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const ask = (spec: object): string => judge(spec, image, collected);
    const none = { severityThreshold: 'NONE' };
    assert.equal(ask({ ...none, signature: { required: true, keys: [key] } }), 'admit');
    assert.equal(ask({ ...none, signature: { required: true, keys: [other] } }), 'signature');
    const attested = (predicateType: string, by: string) => ({
      ...none,
      attestations: [{ predicateType, keys: [by] }],
    });
    assert.equal(ask(attested('https://shop.example/v1', key)), 'admit');
    assert.equal(ask(attested('https://shop.example/v1', other)), 'attestation');
    assert.equal(ask(attested('https://shop.example/v2', key)), 'attestation');
    assert.equal(ask({}), 'threshold');
    assert.equal(ask({ vex: { mode: 'apply', trustedIssuers: [{ key }] } }), 'admit');
    assert.equal(ask({ vex: { mode: 'apply', trustedIssuers: [{ key: other }] } }), 'threshold');

    const unsigned = await collectReference(deps, {
      reference: referenceTo(real.host, 'shop/web:bare'),
      signal,
    });
    assert.ok(isComplete(unsigned.collected));
    assert.equal(
      judge(
        { ...none, signature: { required: true, keys: [key] } },
        `${real.host}/shop/web:bare`,
        unsigned.collected,
      ),
      'signature',
    );
  });

  test('and provenance by a key counts for the builder that the policy names with that key', async (t) => {
    const { home, real, cosign, key, verifier, registry } = await standing(t);
    const builder = 'https://build.shop.example/pipeline';
    const predicates = {
      slsaprovenance: { builder: { id: builder }, buildType: 'https://build.shop.example/type' },
      slsaprovenance1: {
        buildDefinition: {
          ...{ buildType: 'https://build.shop.example/type', externalParameters: {} },
          ...{ internalParameters: {}, resolvedDependencies: [] },
        },
        runDetails: { builder: { id: builder }, metadata: { invocationId: '1' } },
      },
    };
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    writeFileSync(join(home, 'rsa.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
    await cosign('import-key-pair', '--key', 'rsa.pem', '--output-key-prefix', 'rsa', '--yes');
    const rsa = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const other = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const { signal } = new AbortController();
    const deps = { registry, verifier, vexSources: null };
    let n = 0;
    for (const [type, predicate] of Object.entries(predicates))
      for (const bundle of ['true', 'false']) {
        // Each form with another kind of key.
        const [file, own, stranger] = n % 3 === 0 ? ['cosign.key', key, rsa] : ['rsa.key', rsa, key];
        // One image each, so that what was attached before says nothing.
        const { manifest, blobs } = imageOf(`built-${(n += 1)}`);
        await push(real.url, 'shop/built', { blobs, manifests: [{ content: manifest, as: `${n}` }] });
        writeFileSync(join(home, 'predicate.json'), JSON.stringify(predicate));
        const target = `${real.host}/shop/built@${manifest.digest}`;
        await cosign(
          ...['attest', ...OWN.map((one) => (one === 'cosign.key' ? file : one))],
          ...[`--new-bundle-format=${bundle}`, '--type', type, '--predicate', 'predicate.json', target],
        );
        const reference = referenceTo(real.host, `shop/built:${n}`);
        const { collected } = await collectReference(deps, { reference, signal });
        assert.deepEqual(collected.problems, []);
        const ask = (more: object, id = builder): string =>
          judge(
            {
              severityThreshold: 'NONE',
              provenance: { minLevel: 2, trustedBuilders: [{ id, level: 3, ...more }] },
            },
            `${real.host}/shop/built:${n}`,
            collected,
          );
        const what = `${type}, bundle ${bundle}, ${file}`;
        assert.equal(ask({ key: own }), 'admit', what);
        assert.equal(ask({ key: stranger }), 'provenance', what);
        assert.equal(ask({ key: other }), 'provenance', what);
        assert.equal(ask({ key: own }, 'https://elsewhere.example'), 'provenance', what);
        assert.equal(ask({}), 'provenance', what);
        assert.equal(ask({ identityRegExp: '.*' }), 'provenance', what);
      }
  });

  test('and a document that was signed beside them counts for the digest that it names', async (t) => {
    const { home, real, cosign, key, verifier, registry } = await standing(t);
    const { manifest, blobs } = imageOf('web');
    await push(real.url, 'shop/web', { blobs, manifests: [{ content: manifest, as: '1' }] });
    const purl = `pkg:oci/web@${encodeURIComponent(manifest.digest)}`;
    const csaf = {
      document: {
        ...{ category: 'csaf_vex', csaf_version: '2.0' },
        tracking: { status: 'final', current_release_date: '2026-01-01T00:00:00Z' },
      },
      product_tree: {
        full_product_names: [{ name: 'web', product_id: 'WEB', product_identification_helper: { purl } }],
      },
      vulnerabilities: [{ cve: CVE, product_status: { fixed: ['WEB'] } }],
    };
    writeFileSync(join(home, 'csaf.json'), JSON.stringify(csaf));
    await cosign('sign-blob', ...OFFLINE, '--bundle', 'csaf.json.sigstore.json', 'csaf.json');
    const file = (name: string) => ({ kind: 'file', path: join(home, name) }) as const;
    const place = { document: file('csaf.json'), bundle: file('csaf.json.sigstore.json') };
    const collect = async (): Promise<Collected> => {
      const sources = [openVexSource('csaf.json', place)];
      const vexSources = new VexLibrary({ sources, verifier, monotonic: { now: () => 0 }, count, log });
      const { signal } = new AbortController();
      const reference = referenceTo(real.host, 'shop/web:1');
      return (await collectReference({ registry, verifier, vexSources }, { reference, signal })).collected;
    };
    const collected = await collect();
    assert.deepEqual(collected.problems, []);
    const image = `${real.host}/shop/web:1`;
    assert.equal(judge({}, image, collected), 'threshold');
    assert.equal(judge({ vex: { mode: 'apply', trustedIssuers: [{ key }] } }, image, collected), 'admit');

    // Whoever changes the document cannot change what it says: the key is asked for the bytes that were signed.
    writeFileSync(join(home, 'csaf.json'), JSON.stringify({ ...csaf, more: 1 }));
    const changed = await collect();
    assert.equal(judge({ vex: { mode: 'apply', trustedIssuers: [{ key }] } }, image, changed), 'threshold');
  });
});
