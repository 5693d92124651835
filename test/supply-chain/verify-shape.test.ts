import assert from 'node:assert/strict';
import { createHash, X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { MAX_EVIDENCE_BYTES } from '../../src/adapters/sigstore/index.ts';
import { verifyDetached, verifyEvidence } from '../../src/adapters/sigstore/evidence.ts';
import { bytes, json, NOT_AT_HAND, type Loose, rules, toBytes } from './verify-data.ts';

const skip = NOT_AT_HAND;

/** A real bundle with one member made another, which the library alone would not mind; cosign minds each. */
const CHANGES: Record<string, (bundle: Loose) => void> = {
  'an unknown member': (bundle) => (bundle.comment = 'x'),
  'an unknown member of a log entry': (bundle) => (bundle.verificationMaterial.tlogEntries[0].comment = 'x'),
  'a number for a text': (bundle) =>
    (bundle.verificationMaterial.tlogEntries[0].inclusionProof.checkpoint.envelope = 1),
  'a list for an object': (bundle) => (bundle.verificationMaterial.timestampVerificationData = []),
  'base64 with a stray character': (bundle) =>
    (bundle.messageSignature.signature = ` ${bundle.messageSignature.signature}`),
  'base64 with an end that is none': (bundle) => (bundle.messageSignature.signature += '='),
  'a tree size that is not that of the checkpoint': (bundle) =>
    (bundle.verificationMaterial.tlogEntries[0].inclusionProof.treeSize = '7'),
  'a root hash that is not that of the checkpoint': (bundle) =>
    (bundle.verificationMaterial.tlogEntries[0].inclusionProof.rootHash = 'AAAA'),
  'a checkpoint with something before its signatures': (bundle) => {
    const { checkpoint } = bundle.verificationMaterial.tlogEntries[0].inclusionProof;
    checkpoint.envelope = checkpoint.envelope.replace('\n\n', '\n\nmore\n\n');
  },
  'a checkpoint that its log signs twice, once wrongly': (bundle) => {
    const { checkpoint } = bundle.verificationMaterial.tlogEntries[0].inclusionProof;
    const [text, line] = checkpoint.envelope.split('\n\n');
    checkpoint.envelope = `${text}\n\n${line.slice(0, -5)}AAA=\n${line}`;
  },
  'a negative index': (bundle) => (bundle.verificationMaterial.tlogEntries[0].logIndex = '-1'),
  'two kinds of signer': (bundle) => (bundle.verificationMaterial.publicKey = { hint: '' }),
  'two kinds of content': (bundle) =>
    (bundle.dsseEnvelope = { payload: '', payloadType: '', signatures: [] }),
  'a chain where the version has one certificate': (bundle) => {
    const { certificate } = bundle.verificationMaterial;
    delete bundle.verificationMaterial.certificate;
    bundle.verificationMaterial.x509CertificateChain = { certificates: [certificate] };
  },
  'over 8 log entries': (bundle) => {
    const [entry] = bundle.verificationMaterial.tlogEntries;
    bundle.verificationMaterial.tlogEntries = Array(9).fill(entry);
  },
  'a certificate larger than any is': (bundle) =>
    (bundle.verificationMaterial.certificate.rawBytes = Buffer.alloc(65 * 1024).toString('base64')),
  'a checkpoint with thousands of signatures': (bundle) => {
    const { checkpoint } = bundle.verificationMaterial.tlogEntries[0].inclusionProof;
    checkpoint.envelope += checkpoint.envelope.split('\n\n')[1].repeat(200);
  },
  'the same log entry twice': (bundle) =>
    bundle.verificationMaterial.tlogEntries.push(bundle.verificationMaterial.tlogEntries[0]),
  'another hash': (bundle) => (bundle.messageSignature.messageDigest.algorithm = 'SHA2_512'),
};

test('a bundle is held to the form that the Go verifiers hold it to', { skip }, () => {
  const path = 'conformance/happy-path-v0.3/bundle.sigstore.json';
  const artifact = bytes('conformance/a.txt');
  const verdict = (bundle: unknown): string => verifyDetached(rules(), artifact, toBytes(bundle)).kind;
  assert.equal(verdict(json(path)), 'accepted');
  const nulled = json(path);
  nulled.verificationMaterial.timestampVerificationData = null;
  assert.equal(verdict(nulled), 'accepted', 'a member that is null is one that is not there');
  for (const [what, change] of Object.entries(CHANGES)) {
    const bundle = json(path);
    change(bundle);
    assert.equal(verdict(bundle), 'refused', what);
  }
});

test('a key id that is not that of the certificate is refused', { skip }, () => {
  const path = 'container/cosign-oci-attestation-v3.sigstore.json';
  const digest = `sha256:${json('EXPECTED.json').bundles[path].subjects[0].digest.sha256}`;
  const key = new X509Certificate(Buffer.from(json(path).verificationMaterial.certificate.rawBytes, 'base64'))
    .publicKey;
  const own = createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('base64')
    .replace('=', '');
  for (const [keyid, kind] of [
    ['', 'accepted'],
    [`SHA256:${own}`, 'accepted'],
    ['another', 'refused'],
  ] as const) {
    const bundle = json(path);
    bundle.dsseEnvelope.signatures[0].keyid = keyid;
    assert.equal(
      verifyEvidence(rules(), digest, { kind: 'bundle', bundle: toBytes(bundle), manifest: null }).kind,
      kind,
    );
  }
});

test('what is larger than evidence may be is refused before anything is read of it', () => {
  const result = verifyDetached(rules(null), Buffer.alloc(1), Buffer.alloc(MAX_EVIDENCE_BYTES + 1, 0x20));
  assert.equal(result.kind === 'refused' && result.reason, 'too_large');
});
