import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseBundle } from '../../src/adapters/sigstore/bundle.ts';
import { checkKeyless } from '../../src/adapters/sigstore/check.ts';
import { Refused } from '../../src/adapters/sigstore/refused.ts';
import { programOf } from '../registry/real-registry.ts';
import { runs } from '../runs.ts';
import { bytes, folders, json, NOT_AT_HAND, type Loose, publicGood, toBytes } from './verify-data.ts';
import { mutateJson, random } from './verify-mutate.ts';

const COSIGN = programOf('cosign', 'COSIGN_BIN');
const skip =
  NOT_AT_HAND === false
    ? COSIGN === null && 'cosign is neither on the PATH nor named by COSIGN_BIN'
    : NOT_AT_HAND;
const DATA = fileURLToPath(new URL('../../../shared/data/provenance/', import.meta.url));

/** What cosign says to a bundle, with the public trust root, any signer, and nothing asked of a network. */
function openCosign(t: TestContext): (bundle: Buffer) => boolean {
  const folder = mkdtempSync(join(tmpdir(), 'ipo-cosign-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return (bundle) => {
    const file = join(folder, 'bundle.json');
    writeFileSync(file, bundle);
    const { messageSignature, dsseEnvelope } = JSON.parse(bundle.toString('utf8'));
    const any = ['--certificate-identity-regexp', '.*', '--certificate-oidc-issuer-regexp', '.*'];
    const common = ['--bundle', file, '--trusted-root', join(DATA, 'trust/trusted_root.json'), ...any];
    const args =
      messageSignature === undefined
        ? [
            'verify-blob-attestation',
            ...common,
            '--check-claims=false',
            '--type',
            predicateTypeOf(dsseEnvelope),
            '/dev/null',
          ]
        : ['verify-blob', ...common, join(DATA, 'conformance/a.txt')];
    return (
      spawnSync(COSIGN ?? '', args, { timeout: 60_000, stdio: 'ignore', env: { HOME: folder } }).status === 0
    );
  };
}

function predicateTypeOf(envelope: { payload: string }): string {
  return JSON.parse(Buffer.from(envelope.payload, 'base64').toString('utf8')).predicateType;
}

function isVerifiedHere(bundle: Buffer): boolean {
  try {
    const parsed = parseBundle(bundle);
    const message = parsed.content.$case === 'messageSignature' ? bytes('conformance/a.txt') : null;
    checkKeyless(publicGood(), parsed, { message, layer: null });
    return true;
  } catch (error) {
    assert.ok(error instanceof Refused, String(error));
    return false;
  }
}

const seeds = (): string[] => [
  ...folders('slsa').flatMap((name) => (name.includes('no-cert') ? [] : [`slsa/${name}`])),
  'container/cosign-oci-attestation-v3.sigstore.json',
  'container/example-package-v2.1.0/converted.sigstore.json',
  ...['v0.1', 'v0.2', 'v0.3', 'v0.3-new-mediaType'].map(
    (name) => `conformance/happy-path-${name}/bundle.sigstore.json`,
  ),
  ...[
    'invalid-inclusion-proof',
    'set-invalid-signature',
    'signature-mismatch',
    'dsse-invalid-sig',
    'dsse-mismatch-envelope',
  ].map((name) => `conformance/${name}_fail/bundle.sigstore.json`),
];

test('cosign says of every real bundle what is said of it here', { skip }, (t) => {
  const cosign = openCosign(t);
  for (const path of seeds()) assert.equal(isVerifiedHere(bytes(path)), cosign(bytes(path)), path);
});

test('nothing that somebody changed is verified here and refused by cosign', { skip }, (t) => {
  const cosign = openCosign(t);
  const paths = seeds();
  const pick = (next: () => number): Loose => json(paths[Math.floor(next() * paths.length)] ?? '');
  const next = random(31);
  let asked = 0;
  for (let i = 0; asked < runs(25); i += 1) {
    const bundle = pick(next);
    mutateJson(next, bundle, pick(next));
    const text = toBytes(bundle);
    if (!isVerifiedHere(text)) continue;
    asked += 1;
    assert.ok(cosign(text), `change ${i}: ${text.toString('utf8').slice(0, 4000)}`);
  }
});
