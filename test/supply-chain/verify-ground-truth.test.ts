import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseBundle } from '../../src/adapters/sigstore/bundle.ts';
import { checkKeyless } from '../../src/adapters/sigstore/check.ts';
import { verifyDetached, verifyEvidence } from '../../src/adapters/sigstore/evidence.ts';
import { Refused } from '../../src/adapters/sigstore/refused.ts';
import { parseTrustRoot } from '../../src/adapters/sigstore/trust-root.ts';
import { sha256Hex } from '../../src/base/index.ts';
import { verifyWithKey as keyVerifies } from '../../src/facts/keys.ts';
import { builderOf, parseStatement } from '../../src/supply-chain/index.ts';
import {
  bytes,
  folders,
  json,
  NOT_AT_HAND,
  type Loose,
  present,
  publicGood,
  rules,
  toBytes,
} from './verify-data.ts';

interface ExpectedBundle {
  readonly verifiesAgainstPublicGood: true | string;
  readonly signer: string;
  readonly issuer: string;
  readonly statementType: string;
  readonly predicateType: string;
  readonly builderId?: string;
  readonly subjects: readonly { readonly name: string; readonly digest: Readonly<Record<string, string>> }[];
}

const skip = NOT_AT_HAND;
const NO_BYTES = { message: null, layer: null };
const expected = skip === false ? json('EXPECTED.json') : { bundles: {}, conformance: {} };

test('every conformance case of Sigstore ends as it must', { skip }, async (t) => {
  assert.deepEqual(
    folders('conformance').filter((name) => !name.endsWith('.txt')),
    Object.keys(expected.conformance).toSorted(),
  );
  for (const [name, facts] of Object.entries<{ expect: string; key: boolean }>(expected.conformance)) {
    await t.test(name, () => {
      const folder = `conformance/${name}`;
      const trust = present(`${folder}/trusted_root.json`)
        ? parseTrustRoot(bytes(`${folder}/trusted_root.json`), name)
        : publicGood();
      const artifact = bytes(present(`${folder}/artifact`) ? `${folder}/artifact` : 'conformance/a.txt');
      const result = verifyDetached(rules(trust), artifact, bytes(`${folder}/bundle.sigstore.json`));
      let passes = result.kind === 'accepted';
      if (result.kind === 'accepted' && facts.key) {
        const key = bytes(`${folder}/key.pub`).toString('utf8');
        assert.equal(result.by, 'key');
        const [entry] = result.signed;
        passes = keyVerifies(key, artifact, Buffer.from(entry?.signature ?? '', 'base64'));
      } else if (result.kind === 'accepted') {
        assert.equal(result.by, 'identity');
        const own = expected.conformanceIdentity;
        if (trust === publicGood()) {
          assert.equal(result.signed[0]?.identity, own.subjectAlternativeName);
          assert.equal(result.signed[0]?.issuer, own.issuer);
        }
      } else assert.notEqual(result.reason, 'fault');
      assert.equal(passes ? 'pass' : 'fail', facts.expect, JSON.stringify(result));
    });
  }
});

test(
  'every bundle of the ground truth has the signer, issuer, builder and verdict that it should',
  { skip },
  async (t) => {
    for (const [path, value] of Object.entries<ExpectedBundle | readonly ExpectedBundle[]>(
      expected.bundles,
    )) {
      if (path.startsWith('npm/')) continue;
      const facts = value as ExpectedBundle;
      await t.test(path, () => {
        const payload = Buffer.from(json(path).dsseEnvelope.payload, 'base64');
        const statement = parseStatement(payload);
        assert.equal(statement?.type, facts.statementType);
        assert.equal(statement?.predicateType, facts.predicateType);
        assert.deepEqual(statement?.subjects, facts.subjects);
        assert.equal(statement && builderOf(statement, payload), facts.builderId ?? null);
        const check = () => checkKeyless(publicGood(), parseBundle(bytes(path)), NO_BYTES);
        if (facts.verifiesAgainstPublicGood !== true) return assert.throws(check, Refused);
        assert.deepEqual(check(), { identity: facts.signer, issuer: facts.issuer });
      });
      await t.test(`${path}: as evidence`, () => {
        const hex = facts.subjects[0]?.digest.sha256;
        const digest = `sha256:${hex ?? '0'.repeat(64)}`;
        const result = verifyEvidence(rules(), digest, {
          kind: 'bundle',
          bundle: bytes(path),
          manifest: null,
        });
        if (hex === undefined)
          return assert.equal(result.kind === 'refused' && result.reason, 'other_subject');
        if (facts.verifiesAgainstPublicGood !== true) return assert.equal(result.kind, 'refused');
        assert.ok(result.kind === 'accepted', JSON.stringify(result));
        const signed = {
          identity: facts.signer,
          issuer: facts.issuer,
          payload: null,
          signature: null,
          payloadType: null,
        };
        assert.deepEqual(result.signed, [signed]);
        assert.deepEqual(result.signatures, []);
        assert.deepEqual(result.attestations, [{ ...signed, predicateType: facts.predicateType }]);
        const built = { builderId: facts.builderId, signer: facts.signer, issuer: facts.issuer };
        assert.deepEqual(result.provenance, facts.builderId === undefined ? [] : [built]);
        const other = verifyEvidence(rules(), `sha256:${'0'.repeat(64)}`, {
          kind: 'bundle',
          bundle: bytes(path),
          manifest: null,
        });
        assert.equal(other.kind === 'refused' && other.reason, 'other_subject');
      });
    }
  },
);

test(
  'the attestations of npm verify as they should, those by the key of its registry among them',
  { skip },
  () => {
    const keys = new Map<string, string>(
      json('trust/npm-registry_keys.json').keys.map((key: Loose) => [
        key.keyId,
        `-----BEGIN PUBLIC KEY-----\n${key.publicKey.rawBytes}\n-----END PUBLIC KEY-----\n`,
      ]),
    );
    for (const [path, value] of Object.entries<Loose>(expected.bundles)) {
      if (!path.startsWith('npm/')) continue;
      for (const [i, { predicateType, bundle: document }] of json(path).attestations.entries()) {
        const facts = value[i];
        assert.equal(predicateType, facts.predicateType);
        const bundle = parseBundle(toBytes(document));
        if (facts.issuer === undefined) {
          assert.ok(bundle.content.$case === 'dsseEnvelope');
          const [signature] = bundle.content.dsseEnvelope.signatures;
          const key = keys.get(signature?.keyid ?? '');
          assert.ok(key !== undefined && signature !== undefined);
          const { payload, payloadType } = bundle.content.dsseEnvelope;
          const pae = Buffer.concat([
            Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `),
            payload,
          ]);
          assert.ok(keyVerifies(key, pae, signature.sig));
        } else if (facts.verifies === true)
          assert.deepEqual(checkKeyless(publicGood(), bundle, NO_BYTES), {
            identity: facts.signer,
            issuer: facts.issuer,
          });
        else assert.throws(() => checkKeyless(publicGood(), bundle, NO_BYTES), Refused);
      }
    }
  },
);

test(
  'an envelope without a certificate is kept for a key that may come, and vouches for nobody',
  { skip },
  () => {
    const envelope = bytes('slsa/bazel-dsse-no-cert.json');
    const payload = Buffer.from(JSON.parse(envelope.toString('utf8')).payload, 'base64');
    const digest = `sha256:${parseStatement(payload)?.subjects[0]?.digest.sha256}`;
    const result = verifyEvidence(rules(), digest, { kind: 'envelope', envelope, annotations: {} });
    assert.ok(result.kind === 'accepted' && result.by === 'key');
    assert.ok(result.signed.every(({ identity, signature }) => identity === null && signature !== null));
    // The builder that it claims, and nobody who says so but a key.
    const claimed = {
      builderId:
        'https://github.com/slsa-framework/slsa-github-generator/.github/workflows/builder_bazel_slsa3.yml@refs/tags/v1.8.0',
      signer: null,
      issuer: null,
    };
    assert.deepEqual(
      result.provenance.map(({ proof, ...one }) => ({ ...one, isProved: proof !== undefined })),
      result.signed.map(() => ({ ...claimed, isProved: true })),
    );
    const bare = verifyEvidence(rules(), digest, { kind: 'bundle', bundle: envelope, manifest: null });
    assert.equal(bare.kind, 'refused');
  },
);

test('the older layout of cosign carries what the same attestation as a bundle does', { skip }, () => {
  const folder = 'container/example-package-v2.1.0';
  const facts = expected.bundles[`${folder}/converted.sigstore.json`];
  const digest = `sha256:${sha256Hex(bytes(`${folder}/image-index.json`))}`;
  const { annotations } = json(`${folder}/cosign-att-manifest.json`).layers[0];
  const envelope = bytes(`${folder}/cosign-att-layer0.dsse.json`);
  const older = verifyEvidence(rules(), digest, { kind: 'envelope', envelope, annotations });
  const bundle = bytes(`${folder}/converted.sigstore.json`);
  assert.deepEqual(older, verifyEvidence(rules(), digest, { kind: 'bundle', bundle, manifest: null }));
  assert.ok(older.kind === 'accepted');
  assert.deepEqual(older.provenance, [
    { builderId: facts.builderId, signer: facts.signer, issuer: facts.issuer },
  ]);
});
