import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join, resolve } from 'node:path';
import { test, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { CheckDocument } from '../../src/checks/index.ts';
import { REVIEW_PATH } from '../../src/admission/index.ts';
import type { DecidedFromBody } from '../../src/api/contract/images.ts';
import { reviewOf, type Response } from '../admission/reviews.ts';
import { ipo } from '../cli/fake-terminal.ts';
import { startFakeRegistry } from '../registry/fake-registry.ts';
import { blobOf, descriptorOf, imageOf, OCI, push, type Pushed } from '../registry/images.ts';
import { programOf, startRealRegistry } from '../registry/real-registry.ts';
import { makeCertificate, withoutOpenssl } from './certificate.ts';
import { scratchDirectory, startRunning } from './running.ts';

const DATA = resolve(import.meta.dirname, '../../../shared/data');
const EXAMPLE = join(DATA, 'provenance/container/example-package-v2.1.0');
const skip = !existsSync(DATA) ? 'the real data is not at ../shared/data' : withoutOpenssl;

/** Who built and signed the real image, as EXPECTED.json has it. */
const BUILDER =
  'https://github.com/slsa-framework/slsa-github-generator/.github/workflows/generator_container_slsa3.yml@refs/tags/v2.1.0';
const ISSUER = 'https://token.actions.githubusercontent.com';
const SLSA = 'https://slsa.dev/provenance/v0.2';

interface Case {
  readonly name: string;
  readonly image: 'example' | 'java' | 'old' | 'signed' | 'cold';
  /** By its tag, else by its digest. */
  readonly byTag?: true;
  readonly spec: object;
  readonly label: string | null;
}

const cases = (key: string): readonly Case[] => [
  { name: 'digest', image: 'java', byTag: true, spec: { digestEnforcement: 'require' }, label: 'digest' },
  { name: 'unscanned', image: 'cold', spec: { admissionTiming: 'DenyUntilScanned' }, label: 'unscanned' },
  { name: 'cold', image: 'cold', spec: { admissionTiming: 'AllowAndScan' }, label: null },
  {
    name: 'unsigned',
    image: 'java',
    spec: { signature: { required: true, keys: [key] } },
    label: 'signature',
  },
  { name: 'signed', image: 'signed', spec: { signature: { required: true, keys: [key] } }, label: null },
  {
    ...{ name: 'signed-by-tag', image: 'signed', byTag: true, label: null },
    spec: { signature: { required: true, keys: [key] } },
  },
  {
    // A real attestation is no signature of the image, whoever made it.
    ...{ name: 'attested-alone', image: 'example', label: 'signature' },
    spec: { signature: { required: true, identities: [{ identity: BUILDER }] } },
  },
  {
    ...{ name: 'attested', image: 'example', label: null },
    spec: { attestations: [{ predicateType: SLSA, identities: [{ identity: BUILDER, issuer: ISSUER }] }] },
  },
  {
    ...{ name: 'attested-by-others', image: 'example', label: 'attestation' },
    spec: { attestations: [{ predicateType: SLSA, identities: [{ identity: 'somebody@example.com' }] }] },
  },
  {
    ...{ name: 'built', image: 'example', byTag: true, label: null },
    spec: { provenance: { minLevel: 3, trustedBuilders: [{ id: BUILDER, level: 3, issuer: ISSUER }] } },
  },
  {
    // Valid, and made by another signer than the policy names for this builder.
    ...{ name: 'built-by-others', image: 'example', label: 'provenance' },
    spec: {
      provenance: {
        minLevel: 3,
        trustedBuilders: [{ id: BUILDER, level: 3, signer: 'https://example.com/ci' }],
      },
    },
  },
  {
    name: 'built-nowhere',
    image: 'java',
    spec: { provenance: { minLevel: 1, trustedBuilders: [{ id: BUILDER, level: 3 }] } },
    label: 'provenance',
  },
  { name: 'critical', image: 'java', spec: { severityThreshold: 'CRITICAL' }, label: 'threshold' },
  {
    ...{ name: 'exploited', image: 'java', label: 'known_exploited' },
    spec: { severityThreshold: 'NONE', knownExploited: 'block' },
  },
  {
    ...{ name: 'ended', image: 'old', label: 'end_of_life' },
    spec: { severityThreshold: 'NONE', endOfLifeOS: 'block' },
  },
  {
    ...{ name: 'ended-warned', image: 'old', label: null },
    spec: { severityThreshold: 'NONE', endOfLifeOS: 'warn' },
  },
];

const file = (path: string, mediaType: string): Pushed =>
  blobOf(readFileSync(join(EXAMPLE, path)), mediaType);

/** Pushes the images of the cases; gives each by tag and by digest. */
async function fill(url: string, host: string, sign: (payload: Buffer) => string) {
  const images: Record<
    string,
    { readonly byTag: string; readonly byDigest: string; readonly digest: string }
  > = {};
  const named = (name: string, { digest }: Pushed): void => {
    images[name] = { digest, byTag: `${host}/shop/${name}:1`, byDigest: `${host}/shop/${name}@${digest}` };
  };
  for (const name of ['java', 'old', 'cold', 'signed']) {
    const { manifest, blobs } = imageOf(name);
    await push(url, `shop/${name}`, { blobs, manifests: [{ content: manifest, as: '1' }] });
    named(name, manifest);
    if (name !== 'signed') continue;
    // As cosign signs with a key in its older layout.
    const payload = blobOf(
      {
        critical: {
          identity: { 'docker-reference': `${host}/shop/${name}` },
          image: { 'docker-manifest-digest': manifest.digest },
          type: 'cosign container image signature',
        },
        optional: null,
      },
      'application/vnd.dev.cosign.simplesigning.v1+json',
    );
    const config = blobOf(
      { architecture: '', os: '', rootfs: { type: 'layers', diff_ids: [] }, config: {} },
      OCI.config,
    );
    const annotations = { 'dev.cosignproject.cosign/signature': sign(payload.bytes) };
    const attached = blobOf(
      {
        ...{ schemaVersion: 2, mediaType: OCI.manifest, config: descriptorOf(config) },
        layers: [descriptorOf(payload, { annotations })],
      },
      OCI.manifest,
    );
    await push(url, `shop/${name}`, {
      blobs: [payload, config],
      manifests: [{ content: attached, as: `${manifest.digest.replace(':', '-')}.sig` }],
    });
  }
  return { images, named };
}

/** A real image with its real provenance, byte for byte: layers alone are missing, which nobody reads. */
async function pushExample(url: string): Promise<Pushed> {
  const index = file('image-index.json', OCI.index);
  const att = file('cosign-att-manifest.json', OCI.manifest);
  await push(url, 'shop/example', {
    blobs: [
      file('config-533ae3a04dfa.json', OCI.config),
      file('config-86c42567c8b6.json', OCI.config),
      file('cosign-att-layer0.dsse.json', 'application/vnd.dsse.envelope.v1+json'),
    ],
    manifests: [
      { content: file('manifest-d1fc0de9c6a3.json', OCI.manifest) },
      { content: file('manifest-a79645dc6fd7.json', OCI.manifest) },
      { content: index, as: '1' },
      { content: att, as: `${index.digest.replace(':', '-')}.att` },
    ],
  });
  return index;
}

async function reviewer(t: TestContext, port: number) {
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  t.after(() => agent.destroy());
  return (namespace: string, image: string): Promise<Response> =>
    new Promise((done, failed) => {
      const sent = request(
        { host: '127.0.0.1', port, method: 'POST', path: REVIEW_PATH, agent },
        (answer) => {
          let got = '';
          answer.on('data', (chunk: Buffer) => (got += chunk.toString()));
          answer.on('end', () => {
            try {
              done((JSON.parse(got) as { response: Response }).response);
            } catch (error) {
              failed(error);
            }
          });
        },
      );
      sent.on('error', failed);
      sent.end(reviewOf({ namespace, spec: { containers: [{ name: 'app', image }] } }));
    });
}

const until = async (what: string, holds: () => Promise<boolean>): Promise<void> => {
  for (let tries = 0; !(await holds()); tries += 1) {
    assert.ok(tries < 1_800, `${what} did not come about within three minutes`); // a fault is tried again after one
    await new Promise((resume) => setTimeout(resume, 100));
  }
};

test(
  'ipo check gives the verdict of the webhook, with each gate refusing on real data',
  { skip },
  async (t) => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const registry = await startFakeRegistry(t);
    const { images, named } = await fill(registry.url, registry.host, (payload) =>
      sign('sha256', payload, privateKey).toString('base64'),
    );
    named('example', await pushExample(registry.url));

    const directory = scratchDirectory(t);
    const root = join(DATA, 'provenance/trust/trusted_root.json');
    const kev = join(DATA, 'kev/known_exploited_vulnerabilities.json');
    const { cert, key: certKey } = makeCertificate(directory, 'webhook');
    const running = await startRunning(t, {
      env: {
        IPO_WEBHOOK_LISTEN: '127.0.0.1:0',
        IPO_WEBHOOK_CERTIFICATES_SOURCE: 'files',
        IPO_WEBHOOK_CERTIFICATES_CERT_FILE: cert,
        IPO_WEBHOOK_CERTIFICATES_KEY_FILE: certKey,
        IPO_REGISTRIES_TAGS: 'resolve',
        IPO_REGISTRIES_PROOFS: 'collect',
        IPO_REGISTRIES_HOSTS: JSON.stringify([{ host: registry.host, plainHttp: true }]),
        IPO_SIGSTORE_TRUST_ROOT: pathToFileURL(root).href,
        IPO_KEV_SOURCE: pathToFileURL(kev).href,
      },
    });
    const administrator = running.as('administrator');

    const all = cases(key);
    const policies = new Map<string, string>();
    for (const { name, spec } of all) {
      const document = {
        ...{ apiVersion: 'ipo.dev/v1', kind: 'ImagePolicy', metadata: { name } },
        // Real images of the field have findings enough; a case is about its own gate.
        spec: { enforcement: 'Enforce', severityThreshold: 'NONE', targetNamespaces: [name], ...spec },
      };
      await administrator.json('POST /policies', { body: document });
      const path = join(directory, `${name}.json`);
      writeFileSync(path, JSON.stringify(document));
      policies.set(name, path);
    }
    const reports = { java: 'spring4shell-jre11', old: 'alpine-39' } as const;
    for (const image of ['java', 'old'] as const) {
      const [, path = ''] = reportFor(directory, image, reports[image], images);
      await administrator.json('POST /scans', { body: JSON.parse(readFileSync(path, 'utf8')) as unknown });
    }
    const review = await reviewer(t, running.service.webhook ?? 0);
    // The first pods make the images known; what is attached to them is then collected.
    for (const { byTag } of Object.values(images)) await review('elsewhere', byTag);
    for (const { byTag, digest } of Object.values(images)) {
      await review('elsewhere', byTag);
      await until(`what is attached to ${byTag}`, async () => {
        const facts = await administrator
          .json<DecidedFromBody>('GET /images/{digest}/facts', { params: { digest } })
          .catch(() => null);
        return facts !== null && Array.isArray(facts.body.image['signatures']);
      });
    }
    await until('the catalogue', async () => (await running.service.parts.kev.state()).entries > 0);
    // The webhook compares what it knows with the database each second, each image on its own.
    for (const [namespace, image] of [
      ['attested', 'example'],
      ['signed', 'signed'],
    ] as const)
      await until(
        `the facts of ${image} at the webhook`,
        async () => (await review(namespace, images[image]?.byDigest ?? '')).allowed,
      );

    const token = running.secretOf('viewer') ?? '';
    for (const { name, image, byTag, label } of all) {
      const { byTag: tagged = '', byDigest = '' } = images[image] ?? {};
      const reference = byTag ? tagged : byDigest;
      const answer = await review(name, reference);
      const said = answer.allowed ? null : (answer.status?.message ?? '');
      const path = policies.get(name) ?? '';
      const ran = await ipo(
        [
          'check',
          '--policy',
          path,
          '-n',
          name,
          '--trust-root',
          root,
          '-o',
          'json',
          '--server',
          running.url,
          reference,
        ],
        { env: { IPO_TOKEN: token } },
      );
      const [result] = (JSON.parse(ran.out) as CheckDocument).results;
      assert.equal(result?.label ?? null, label, `${name}: ${ran.out}${ran.err}`);
      assert.equal(ran.code, label === null ? 0 : 1, ran.err);
      assert.equal(answer.allowed, label === null, `${name}: ${said}`);
      if (label !== null)
        assert.ok(said?.includes(result?.reason ?? '?'), `${name}: ${said} / ${result?.reason}`);

      // Without the service: the registry, and for the scans the reports themselves.
      const report =
        image === 'java' || image === 'old' ? reportFor(directory, image, reports[image], images) : [];
      const alone = await ipo([
        'check',
        '--policy',
        path,
        '-n',
        name,
        '--trust-root',
        root,
        '--kev',
        kev,
        '-o',
        'json',
        ...report,
        reference,
      ]);
      const [own] = (JSON.parse(alone.out) as CheckDocument).results;
      assert.deepEqual(
        [own?.label ?? null, own?.reason],
        [result?.label ?? null, result?.reason],
        `${name}: ${alone.err}`,
      );
    }
  },
);

/** A real report, as Trivy would have written it of the image that was pushed. */
function reportFor(
  directory: string,
  image: string,
  report: string,
  images: Readonly<Record<string, { readonly byTag: string; readonly byDigest: string }>>,
): readonly string[] {
  const document = JSON.parse(readFileSync(join(DATA, `trivy/golden/${report}.json`), 'utf8')) as {
    Metadata?: object;
  };
  const path = join(directory, `${image}-report.json`);
  const { byTag, byDigest } = images[image] ?? {};
  const metadata = { ...document.Metadata, RepoTags: [byTag], RepoDigests: [byDigest] };
  writeFileSync(path, JSON.stringify({ ...document, ArtifactName: byTag, Metadata: metadata }));
  return ['--trivy', path];
}

const registryProgram = programOf('docker-registry', 'REGISTRY_BIN');
test(
  'the same against a real registry, without a service',
  {
    skip:
      skip === false && registryProgram === null
        ? 'docker-registry is neither on the PATH nor named by REGISTRY_BIN'
        : skip,
  },
  async (t) => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const registry = await startRealRegistry(t);
    const { images } = await fill(registry.url, registry.host, (payload) =>
      sign('sha256', payload, privateKey).toString('base64'),
    );
    const directory = scratchDirectory(t);
    for (const { name, spec, image, byTag, label } of cases(key)) {
      const made = images[image];
      if (made === undefined || image === 'java' || image === 'old') continue;
      const path = join(directory, `${name}.json`);
      writeFileSync(
        path,
        JSON.stringify({
          ...{ apiVersion: 'ipo.dev/v1', kind: 'ImagePolicy', metadata: { name } },
          spec: { enforcement: 'Enforce', severityThreshold: 'NONE', ...spec },
        }),
      );
      const ran = await ipo(['check', '--policy', path, '-o', 'json', byTag ? made.byTag : made.byDigest]);
      const [result] = (JSON.parse(ran.out) as CheckDocument).results;
      assert.equal(result?.label ?? null, label, `${name}: ${ran.out}${ran.err}`);
    }
  },
);
