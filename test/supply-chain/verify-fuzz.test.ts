import assert from 'node:assert/strict';
import { sign } from 'node:crypto';
import { test } from 'node:test';
import { parseBundle } from '../../src/adapters/sigstore/bundle.ts';
import { verifyDetached, verifyEvidence } from '../../src/adapters/sigstore/evidence.ts';
import type { TrustRoot } from '../../src/adapters/sigstore/index.ts';
import { Refused } from '../../src/adapters/sigstore/refused.ts';
import { sha256Hex } from '../../src/base/index.ts';
import {
  builderOf,
  parseEnvelope,
  parseSimpleSigning,
  parseStatement,
  type Evidence,
  type Verification,
} from '../../src/supply-chain/index.ts';
import { mutatedRuns } from '../mutations.ts';
import { bytes, folders, json, NOT_AT_HAND, rules, toBytes } from './verify-data.ts';
import { envelopeOver, IDENTITY, olderIntoto, OwnSigstore, rekord } from './verify-own-sigstore.ts';
import { mutateBytes, mutateJson, random, type Random } from './verify-mutate.ts';

const skip = NOT_AT_HAND;

/** Seed is real evidence, and what it verifies to when nobody has touched it. */
interface Seed {
  readonly name: string;
  readonly digest: string;
  readonly evidence: Evidence;
  /** The public instance's unless it is here. */
  readonly trust?: TrustRoot;
}

function seeds(): Seed[] {
  const found: Seed[] = [];
  const names = [...folders('slsa'), 'cosign-oci-attestation-v3.sigstore.json'];
  for (const name of names) {
    const path = name.startsWith('cosign') ? `container/${name}` : `slsa/${name}`;
    const bundle = bytes(path);
    const payload = Buffer.from(JSON.parse(bundle.toString('utf8')).dsseEnvelope?.payload ?? '', 'base64');
    const hex = parseStatement(payload)?.subjects[0]?.digest.sha256;
    if (hex !== undefined)
      found.push({ name, digest: `sha256:${hex}`, evidence: { kind: 'bundle', bundle, manifest: null } });
  }
  const folder = 'container/example-package-v2.1.0';
  const { annotations } = json(`${folder}/cosign-att-manifest.json`).layers[0];
  const envelope = bytes(`${folder}/cosign-att-layer0.dsse.json`);
  const digest = `sha256:${sha256Hex(bytes(`${folder}/image-index.json`))}`;
  found.push({ name: 'older', digest, evidence: { kind: 'envelope', envelope, annotations } });
  const manifest = bytes('conformance/a.txt');
  for (const version of ['v0.1', 'v0.2', 'v0.3']) {
    const bundle = bytes(`conformance/happy-path-${version}/bundle.sigstore.json`);
    found.push({
      name: version,
      digest: `sha256:${sha256Hex(manifest)}`,
      evidence: { kind: 'bundle', bundle, manifest },
    });
  }
  const payload = toBytes({
    critical: {
      type: 'cosign container image signature',
      identity: { 'docker-reference': 'registry.example/web' },
      image: { 'docker-manifest-digest': digest },
    },
    optional: null,
  });
  const signature = Buffer.alloc(70, 1).toString('base64');
  const layer = { 'dev.cosignproject.cosign/signature': signature };
  found.push({ name: 'keyed', digest, evidence: { kind: 'simple_signing', payload, annotations: layer } });
  return [...found, ...ownSeeds(payload, digest)];
}

/** The older layout as nobody keeps real examples of it: a keyless signature, and an attestation in cosign's older log entry. */
function ownSeeds(payload: Buffer, digest: string): Seed[] {
  const own = new OwnSigstore();
  const trust = own.trustRoot();
  const leaf = own.leaf();
  const made = sign('sha256', payload, leaf.key);
  const statement = toBytes({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'web', digest: { sha256: digest.slice(7) } }],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: { buildDefinition: {}, runDetails: { builder: { id: IDENTITY } } },
  });
  const envelope = envelopeOver(statement, leaf.key);
  const layer = (signature: string, body: object): Record<string, string> => ({
    'dev.cosignproject.cosign/signature': signature,
    'dev.sigstore.cosign/certificate': leaf.pem,
    'dev.sigstore.cosign/bundle': own.entry(body),
  });
  const signed = layer(made.toString('base64'), rekord(payload, made, leaf.pem));
  const attested = layer('', olderIntoto(envelope, statement, leaf.pem));
  return [
    { name: 'own .sig', digest, trust, evidence: { kind: 'simple_signing', payload, annotations: signed } },
    { name: 'own .att', digest, trust, evidence: { kind: 'envelope', envelope, annotations: attested } },
  ];
}

/** Has no members to trade with. */
const NOTHING: Evidence = { kind: 'envelope', envelope: Buffer.of(), annotations: {} };

const verified = ({ digest, evidence, trust }: Seed): Verification =>
  verifyEvidence(rules(trust), digest, evidence);

/** What may come of evidence: each signer with exactly the bytes that it signed in one of the untouched seeds. */
function vouched(result: Verification): string | null {
  if (result.kind !== 'accepted' || result.by !== 'identity') return null;
  return JSON.stringify([result.signed, sha256Hex(result.payload), result.provenance, result.statement]);
}

function mutated(next: Random, evidence: Evidence, other: Evidence): Evidence {
  switch (evidence.kind) {
    case 'bundle':
      return { ...evidence, bundle: mutatedJson(next, evidence.bundle, other) };
    case 'simple_signing':
      return next() < 0.5
        ? { ...evidence, payload: mutatedJson(next, evidence.payload, other) }
        : { ...evidence, annotations: mutatedAnnotations(next, evidence.annotations) };
    case 'envelope':
      return next() < 0.5
        ? { ...evidence, envelope: mutatedJson(next, evidence.envelope, other) }
        : { ...evidence, annotations: mutatedAnnotations(next, evidence.annotations) };
  }
}

function mutatedJson(next: Random, text: Uint8Array, other: Evidence): Buffer {
  if (next() < 0.25) return mutateBytes(next, text);
  const document = JSON.parse(Buffer.from(text).toString('utf8'));
  mutateJson(
    next,
    document,
    other.kind === 'bundle' ? JSON.parse(Buffer.from(other.bundle).toString('utf8')) : {},
  );
  return toBytes(document);
}

function mutatedAnnotations(
  next: Random,
  annotations: Readonly<Record<string, string>>,
): Record<string, string> {
  const changed: Record<string, string> = { ...annotations };
  const log = changed['dev.sigstore.cosign/bundle'];
  if (log === undefined || next() < 0.5) mutateJson(next, changed, {});
  else changed['dev.sigstore.cosign/bundle'] = mutatedJson(next, Buffer.from(log), NOTHING).toString();
  return changed;
}

test(
  'evidence that somebody changed never vouches for anything else, breaks nothing and hangs nowhere',
  { skip },
  () => {
    const all = seeds();
    const true_ = new Set(all.map((seed) => vouched(verified(seed))));
    assert.ok(true_.size > 10, 'the seeds verify');
    const next = random(20261122);
    let accepted = 0;
    for (let i = 0; i < mutatedRuns(5_000); i += 1) {
      const seed = all[Math.floor(next() * all.length)] as Seed;
      const other = all[Math.floor(next() * all.length)] as Seed;
      const evidence = mutated(next, seed.evidence, other.evidence);
      const result = unhurried(() => verified({ ...seed, evidence }), `${seed.name} ${i}`);
      if (result.kind === 'unverifiable') assert.fail(`${seed.name} ${i}: ${result.reason}`);
      if (result.kind === 'accepted' && result.by === 'key') assert.deepEqual(result.provenance, []);
      const vouch = vouched(result);
      if (vouch === null) continue;
      accepted += 1;
      assert.ok(true_.has(vouch), `${seed.name} ${i} vouches for something new: ${vouch}`);
    }
    assert.ok(accepted > 0, 'some changes are where nothing is signed, as a hint or an unknown field');
  },
);

test('what is read before anything is verified takes any bytes', { skip }, () => {
  const texts = seeds().flatMap(({ evidence }) => {
    if (evidence.kind === 'simple_signing') return [evidence.payload];
    const document = JSON.parse(
      Buffer.from(evidence.kind === 'envelope' ? evidence.envelope : evidence.bundle).toString(),
    );
    const envelope = document.dsseEnvelope ?? document;
    const signed =
      envelope.payload === undefined ? [] : [toBytes(envelope), Buffer.from(envelope.payload, 'base64')];
    // The largest ones would take most of the time, and have no other members than the rest.
    return [toBytes(document), ...signed].filter(({ length }) => length < 12_000);
  });
  const next = random(7);
  for (let i = 0; i < mutatedRuns(95_000); i += 1) {
    const text = texts[Math.floor(next() * texts.length)] ?? Buffer.of();
    const changed = mutatedJson(next, text, NOTHING);
    unhurried(() => {
      const statement = parseStatement(changed);
      if (statement !== null) builderOf(statement, changed);
      parseEnvelope(changed);
      parseSimpleSigning(changed);
      try {
        parseBundle(changed);
      } catch (error) {
        assert.ok(error instanceof Refused, String(error));
      }
    }, String(i));
  }
});

test('a detached bundle that somebody changed vouches for the same file or for none', { skip }, () => {
  const artifact = bytes('conformance/a.txt');
  const bundle = bytes('conformance/happy-path-v0.3/bundle.sigstore.json');
  const seed: Evidence = { kind: 'bundle', bundle, manifest: null };
  const whole = JSON.stringify(verifyDetached(rules(), artifact, bundle));
  const next = random(3);
  for (let i = 0; i < mutatedRuns(250); i += 1) {
    const changed = mutated(next, seed, seed);
    assert.ok(changed.kind === 'bundle');
    const result = verifyDetached(rules(), artifact, changed.bundle);
    assert.ok(
      result.kind === 'accepted' ? JSON.stringify(result) === whole : result.reason !== 'fault',
      String(i),
    );
    const other = mutateBytes(next, artifact);
    if (other.equals(artifact)) continue;
    assert.notEqual(verifyDetached(rules(), other, changed.bundle).kind, 'accepted');
  }
});

/** Runs a case; one that took over 100 ms of this processor is run again, since something else may have taken them. */
function unhurried<T>(run: () => T, name: string): T {
  for (let attempt = 1; ; attempt += 1) {
    const before = process.cpuUsage();
    const result = run();
    const { user, system } = process.cpuUsage(before);
    if (user + system < 100_000) return result;
    assert.ok(attempt < 4, `${name} takes over 100 ms`);
  }
}
