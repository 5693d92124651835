import assert from 'node:assert/strict';
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { test } from 'node:test';
import { verifyEvidence } from '../../src/adapters/sigstore/evidence.ts';
import { decide, type Decision } from '../../src/decision/index.ts';
import { NO_FACTS, parseImageFacts, toImageFactsDocument, type ImageFacts } from '../../src/facts/index.ts';
import { parseReference } from '../../src/image/index.ts';
import { parsePolicyValue } from '../../src/policy/index.ts';
import {
  IMAGE_SIGNATURE,
  IN_TOTO_PAYLOAD,
  type Accepted,
  type Evidence,
} from '../../src/supply-chain/index.ts';
import { bytes, json, NOT_AT_HAND, rules, toBytes } from './verify-data.ts';

const skip = NOT_AT_HAND;
const AT = Date.parse('2026-11-22T00:00:00Z');

/** The answer of the real decision for an image with what a verification gave, kept and read back as the store does. */
function decideOn(spec: object, digest: string, results: readonly Accepted[]): Decision {
  const facts: ImageFacts = {
    ...NO_FACTS,
    digest,
    signatures: results.flatMap(({ signatures }) => signatures),
    attestations: results.flatMap(({ attestations }) => attestations),
    provenance: results.flatMap(({ provenance }) => provenance),
  };
  const { policy } = parsePolicyValue({
    apiVersion: 'ipo.dev/v1',
    kind: 'ImagePolicy',
    metadata: { name: 'trust' },
    spec: { enforcement: 'Enforce', severityThreshold: 'NONE', ...spec },
  });
  const reference = parseReference(`registry.example/web@${digest}`);
  assert.ok('text' in reference);
  const subject = {
    reference,
    digest,
    facts: parseImageFacts(JSON.parse(JSON.stringify(toImageFactsDocument(facts)))),
    signals: [],
    exposedBy: null,
    quota: null,
    coldImagePolicy: 'AllowAndScan' as const,
    breakGlass: null,
  };
  return decide(policy, subject, AT);
}

function verified(digest: string, evidence: Evidence): Accepted {
  const result = verifyEvidence(rules(), digest, evidence);
  assert.ok(result.kind === 'accepted', JSON.stringify(result));
  return result;
}

function real(path: string): readonly [digest: string, result: Accepted] {
  const digest = `sha256:${json('EXPECTED.json').bundles[path].subjects[0].digest.sha256}`;
  return [digest, verified(digest, { kind: 'bundle', bundle: bytes(path), manifest: null })];
}

const labelOf = (decision: Decision): string | null =>
  decision.kind === 'refuse' ? decision.label : decision.kind;

test(
  'a real provenance is accepted when its signer is the builder, and of no other builder or level',
  { skip },
  () => {
    const path = 'slsa/gha_generic-v2.1.0-dispatch.sigstore.json';
    const { builderId, issuer } = json('EXPECTED.json').bundles[path];
    const [digest, result] = real(path);
    const ask = (builder: object, minLevel = 3): Decision =>
      decideOn({ provenance: { minLevel, trustedBuilders: [builder] } }, digest, [result]);
    assert.equal(labelOf(ask({ id: builderId, level: 3 })), 'admit');
    assert.equal(labelOf(ask({ id: builderId, level: 3, issuer })), 'admit');
    assert.equal(labelOf(ask({ id: builderId, level: 2 })), 'provenance');
    assert.equal(labelOf(ask({ id: builderId.replace('v2.1.0', 'v2.2.0'), level: 3 })), 'provenance');
    assert.equal(labelOf(ask({ id: builderId, level: 3, issuer: 'https://accounts.example' })), 'provenance');
    assert.equal(labelOf(ask({ id: builderId, level: 3, signer: 'somebody@example.com' })), 'provenance');
    assert.equal(
      labelOf(
        decideOn({ provenance: { minLevel: 3, trustedBuilders: [{ id: builderId, level: 3 }] } }, digest, []),
      ),
      'provenance',
    );
  },
);

test(
  'a real provenance signed by another than the builder that it claims is refused, unless that signer is named',
  { skip },
  () => {
    const path = 'slsa/gha_delegator-v2.1.0.sigstore.json';
    const { builderId, signer } = json('EXPECTED.json').bundles[path];
    const [digest, result] = real(path);
    assert.notEqual(signer, builderId);
    const ask = (builder: object): Decision =>
      decideOn({ provenance: { minLevel: 3, trustedBuilders: [builder] } }, digest, [result]);
    const refused = ask({ id: builderId, level: 3 });
    assert.equal(labelOf(refused), 'provenance');
    assert.ok(
      refused.kind === 'refuse' && refused.sentence.startsWith(`provenance: signer ${signer} of builder`),
    );
    assert.equal(labelOf(ask({ id: signer, level: 3 })), 'provenance');
    assert.equal(labelOf(ask({ id: builderId, level: 3, signer })), 'admit');
  },
);

test(
  'a real attestation counts only for the identity that signed it, its issuer and its predicate type',
  { skip },
  () => {
    const path = 'container/cosign-oci-attestation-v3.sigstore.json';
    const { predicateType, signer: identity, issuer } = json('EXPECTED.json').bundles[path];
    const [digest, result] = real(path);
    const ask = (wanted: object): string | null =>
      labelOf(decideOn({ attestations: [wanted] }, digest, [result]));
    assert.equal(ask({ predicateType, identities: [{ identity, issuer }] }), 'admit');
    assert.equal(
      ask({ predicateType, identities: [{ identity, issuer: 'https://accounts.example' }] }),
      'attestation',
    );
    assert.equal(ask({ predicateType, identities: [{ identity: `x${identity}`, issuer }] }), 'attestation');
    assert.equal(
      ask({ predicateType: `${predicateType}/x`, identities: [{ identity, issuer }] }),
      'attestation',
    );
    // An attestation is a claim about the image, not the signature that a policy asks for.
    assert.equal(
      labelOf(
        decideOn({ signature: { required: true, identities: [{ identity, issuer }] } }, digest, [result]),
      ),
      'signature',
    );
  },
);

const DIGEST = `sha256:${'a1'.repeat(32)}`;
const curves = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pemOf = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString();

function simpleSigning(digest = DIGEST): Evidence {
  const payload = toBytes({
    critical: {
      identity: { 'docker-reference': 'registry.example/web' },
      image: { 'docker-manifest-digest': digest },
      type: 'cosign container image signature',
    },
    optional: null,
  });
  const signature = sign('sha256', payload, curves.privateKey).toString('base64');
  return {
    kind: 'simple_signing',
    payload,
    annotations: { 'dev.cosignproject.cosign/signature': signature },
  };
}

function statementBundle(predicateType: string, payloadType = IN_TOTO_PAYLOAD): Evidence {
  const payload = toBytes({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ digest: { sha256: DIGEST.slice(7) } }],
    predicateType,
    predicate: { buildDefinition: {}, runDetails: { builder: { id: 'https://builder.example' } } },
  });
  const signed = Buffer.concat([
    Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `),
    payload,
  ]);
  const bundle = toBytes({
    mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
    verificationMaterial: { publicKey: { hint: '' } },
    dsseEnvelope: {
      payload: payload.toString('base64'),
      payloadType,
      signatures: [{ sig: sign('sha256', signed, curves.privateKey).toString('base64') }],
    },
  });
  return { kind: 'bundle', bundle, manifest: null };
}

test('a signature by a key counts for that key, in the older layout as in a bundle of cosign 3', () => {
  for (const evidence of [simpleSigning(), statementBundle(IMAGE_SIGNATURE)]) {
    const result = verifyEvidence({ trust: null, keyedLog: 'optional' }, DIGEST, evidence);
    assert.ok(result.kind === 'accepted' && result.by === 'key');
    const ask = (key: KeyObject): string | null =>
      labelOf(decideOn({ signature: { required: true, keys: [pemOf(key)] } }, DIGEST, [result]));
    assert.equal(ask(curves.publicKey), 'admit');
    assert.equal(ask(stranger.publicKey), 'signature');
    assert.deepEqual(result.attestations, []);
  }
});

test('an attestation by a key is not an image signature, and provenance only where a policy names the key with the builder', () => {
  const type = 'https://slsa.dev/provenance/v1';
  const result = verifyEvidence({ trust: null, keyedLog: 'optional' }, DIGEST, statementBundle(type));
  assert.ok(result.kind === 'accepted');
  assert.deepEqual(result.signatures, []);
  const builder = 'https://builder.example';
  const built = (trusted: object): string | null =>
    labelOf(
      decideOn(
        { provenance: { minLevel: 1, trustedBuilders: [{ id: builder, level: 1, ...trusted }] } },
        DIGEST,
        [result],
      ),
    );
  assert.equal(built({ key: pemOf(curves.publicKey) }), 'admit');
  assert.equal(built({ key: pemOf(stranger.publicKey) }), 'provenance');
  assert.equal(built({}), 'provenance');
  assert.equal(built({ signer: builder }), 'provenance');
  assert.equal(built({ identityRegExp: '.*', issuerRegExp: '.*' }), 'provenance');
  const keys = [pemOf(curves.publicKey)];
  assert.equal(
    labelOf(decideOn({ attestations: [{ predicateType: type, keys }] }, DIGEST, [result])),
    'admit',
  );
  assert.equal(labelOf(decideOn({ signature: { required: true, keys } }, DIGEST, [result])), 'signature');
});

test('what is about another digest, of another payload type, or not in a log that is required, is refused with its reason', () => {
  const other = `sha256:${'b2'.repeat(32)}`;
  const reasonOf = (
    digest: string,
    evidence: Evidence,
    keyedLog: 'optional' | 'required' = 'optional',
  ): string => {
    const result = verifyEvidence({ trust: null, keyedLog }, digest, evidence);
    return result.kind === 'accepted' ? result.kind : result.reason;
  };
  assert.equal(reasonOf(DIGEST, simpleSigning()), 'accepted');
  assert.equal(reasonOf(other, simpleSigning()), 'other_subject');
  assert.equal(reasonOf(other, statementBundle(IMAGE_SIGNATURE)), 'other_subject');
  assert.equal(reasonOf(DIGEST, statementBundle(IMAGE_SIGNATURE, 'text/plain')), 'unsupported');
  assert.equal(reasonOf(DIGEST, simpleSigning(), 'required'), 'log');
  assert.equal(reasonOf(DIGEST, statementBundle(IMAGE_SIGNATURE), 'required'), 'log');
  assert.equal(reasonOf(DIGEST, { ...simpleSigning(), annotations: {} } as Evidence), 'no_signer');
});

test('keyless evidence without a trust root is unverifiable, and says so', { skip }, () => {
  const path = 'slsa/bcr-MODULE.sigstore.json';
  const digest = `sha256:${json('EXPECTED.json').bundles[path].subjects[0].digest.sha256}`;
  const result = verifyEvidence({ trust: null, keyedLog: 'optional' }, digest, {
    kind: 'bundle',
    bundle: bytes(path),
    manifest: null,
  });
  assert.deepEqual(result, {
    kind: 'unverifiable',
    reason: 'no_trust_root',
    message: 'no trust root is available to verify it',
  });
});
