import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { sha256Hex } from '../../src/base/index.ts';
import {
  effectiveDigest,
  factsDigest,
  FactsError,
  inputsDigest,
  NO_FACTS,
  parseImageFacts,
  toImageFactsDocument,
  type Subject,
} from '../../src/facts/index.ts';
import { parseReference, type ImageReference } from '../../src/image/index.ts';
import { arbitraryFactsDocument } from '../decision/arbitraries.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const reversed = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(reversed)
    : value !== null && typeof value === 'object'
      ? Object.fromEntries(
          Object.entries(value)
            .toReversed()
            .map(([key, entry]) => [key, reversed(entry)]),
        )
      : value;

suite('parseImageFacts', () => {
  test('what is absent was never recorded, and an absent scan is none', () => {
    assert.deepEqual(parseImageFacts({ digest: DIGEST }), {
      digest: DIGEST,
      names: [],
      scan: null,
      signatures: null,
      attestations: null,
      provenance: null,
      vex: null,
    });
  });

  test('null lists are unknown, empty ones are none', () => {
    const facts = parseImageFacts({ digest: DIGEST, scan: { findings: null }, signatures: null, vex: [] });
    assert.equal(facts.scan?.findings, null);
    assert.equal(facts.signatures, null);
    assert.deepEqual(facts.vex, []);
  });

  test('unknown keys are kept as they are', () => {
    assert.equal(
      parseImageFacts({ digest: DIGEST, later: 1, scan: { later: {}, findings: [] } }).digest,
      DIGEST,
    );
  });

  test('an empty fixed version is none', () => {
    const { scan } = parseImageFacts({
      digest: DIGEST,
      scan: { findings: [{ cve: 'CVE-1', severity: 'LOW', fixed: '' }] },
    });
    assert.equal(scan?.findings?.[0]?.fixed, null);
  });

  const finding = { cve: 'CVE-1', severity: 'LOW' };
  const broken: readonly (readonly [value: unknown, message: string])[] = [
    [null, 'image is not an object'],
    [[], 'image is not an object'],
    [{}, 'digest is not a text'],
    [{ digest: 'sha256:abc' }, 'digest is not sha256: with 64 lowercase hex digits'],
    [{ digest: DIGEST, names: 'web' }, 'names is not a list'],
    [{ digest: DIGEST, names: [1] }, 'names[0] is not a text'],
    [{ digest: DIGEST, scan: [] }, 'scan is not an object'],
    [{ digest: DIGEST, scan: { scanned_at: 'yesterday' } }, 'scan.scanned_at is not an RFC 3339 time'],
    [{ digest: DIGEST, scan: { os: { eosl: 'yes' } } }, 'scan.os.eosl is not true or false'],
    [{ digest: DIGEST, scan: { findings: {} } }, 'scan.findings is not a list'],
    [
      { digest: DIGEST, scan: { findings: [finding, { ...finding, severity: 'SEVERE' }] } },
      'scan.findings[1].severity is not one of CRITICAL, HIGH, MEDIUM, LOW, UNKNOWN',
    ],
    [
      { digest: DIGEST, scan: { findings: [{ ...finding, severity: 'high' }] } },
      'scan.findings[0].severity is not one of CRITICAL, HIGH, MEDIUM, LOW, UNKNOWN',
    ],
    [
      { digest: DIGEST, scan: { findings: [{ ...finding, severity: '__proto__' }] } },
      'scan.findings[0].severity is not one of CRITICAL, HIGH, MEDIUM, LOW, UNKNOWN',
    ],
    [{ digest: DIGEST, scan: { findings: [{ ...finding, cve: '' }] } }, 'scan.findings[0].cve is empty'],
    [
      { digest: DIGEST, scan: { findings: [{ ...finding, triaged_until: '2026-02-30T00:00:00Z' }] } },
      'scan.findings[0].triaged_until is not an RFC 3339 time',
    ],
    [
      { digest: DIGEST, scan: { findings: [{ ...finding, known_exploited: 1 }] } },
      'scan.findings[0].known_exploited is not true or false',
    ],
    [
      { digest: DIGEST, signatures: [{}] },
      'signatures[0] has neither an identity nor a payload with its signature',
    ],
    [
      { digest: DIGEST, signatures: [{ payload: 'eA==' }] },
      'signatures[0] has neither an identity nor a payload with its signature',
    ],
    [{ digest: DIGEST, attestations: [{ identity: 'x' }] }, 'attestations[0].predicate_type is not a text'],
    [{ digest: DIGEST, provenance: [{ signer: 'x' }] }, 'provenance[0].builder_id is not a text'],
    [
      { digest: DIGEST, provenance: [{ builder_id: 'a', payload: 'eA==' }] },
      'provenance[0] has a payload or a signature without the other',
    ],
    [{ digest: DIGEST, vex: [{ identity: 'x', cve: 'CVE-1' }] }, 'vex[0].status is not a text'],
  ];
  for (const [value, message] of broken) {
    test(message, () =>
      assert.throws(
        () => parseImageFacts(value),
        (error) => error instanceof FactsError && error.code === 'invalid_facts' && error.message === message,
      ),
    );
  }

  test('what is written is read again', () => {
    fc.assert(
      fc.property(arbitraryFactsDocument(), (document) => {
        const facts = parseImageFacts(document);
        assert.deepEqual(parseImageFacts(JSON.parse(JSON.stringify(toImageFactsDocument(facts)))), facts);
      }),
    );
  });
});

suite('factsDigest', () => {
  test('does not depend on the order of keys, on names, on when and by what was scanned', () => {
    fc.assert(
      fc.property(arbitraryFactsDocument(), (document) => {
        const digest = factsDigest(parseImageFacts(document));
        assert.match(digest, /^[0-9a-f]{64}$/);
        assert.equal(factsDigest(parseImageFacts(reversed(document))), digest);
        const { scan } = document;
        const rescanned = scan && {
          ...(scan as object),
          scanned_at: '2020-01-01T00:00:00Z',
          scanner: { name: 'grype' },
        };
        assert.equal(factsDigest(parseImageFacts({ ...document, names: ['x'], scan: rescanned })), digest);
      }),
    );
  });

  const base = {
    digest: DIGEST,
    scan: {
      os: { family: 'debian', name: '12', eosl: false },
      findings: [{ cve: 'CVE-1', severity: 'LOW', fixed: '2', known_exploited: false }],
    },
    signatures: [{ identity: 'a', issuer: 'b' }],
    attestations: [],
    provenance: [{ builder_id: 'a', signer: 'b', issuer: 'c' }],
    vex: [{ cve: 'CVE-1', status: 'fixed', payload: 'eA==', signature: 'eQ==' }],
  };
  const finding = (more: object): object => ({
    ...base,
    scan: { ...base.scan, findings: [{ ...base.scan.findings[0], ...more }] },
  });
  const changed: Readonly<Record<string, unknown>> = {
    'no scan': { ...base, scan: null },
    'another operating system': {
      ...base,
      scan: { ...base.scan, os: { family: 'debian', name: '12', eosl: true } },
    },
    'findings unknown': { ...base, scan: { ...base.scan, findings: null } },
    'no findings': { ...base, scan: { ...base.scan, findings: [] } },
    'another CVE': finding({ cve: 'CVE-2' }),
    'another severity': finding({ severity: 'HIGH' }),
    'no fix': finding({ fixed: null }),
    'known exploited': finding({ known_exploited: true }),
    'known exploited unknown': finding({ known_exploited: null }),
    triaged: finding({ triaged_until: '2026-12-01T00:00:00Z' }),
    'signatures unknown': { ...base, signatures: null },
    'another issuer': { ...base, signatures: [{ identity: 'a', issuer: 'c' }] },
    'attestations unknown': { ...base, attestations: null },
    'another signer': { ...base, provenance: [{ builder_id: 'a', signer: 'x', issuer: 'c' }] },
    'a signer whose statement was kept': {
      ...base,
      provenance: [{ builder_id: 'a', signer: 'b', issuer: 'c', payload: 'eA==', signature: 'eQ==' }],
    },
    'a builder by a key': {
      ...base,
      provenance: [{ builder_id: 'a', payload: 'eA==', signature: 'eQ==' }],
    },
    'a builder by a key, in an envelope': {
      ...base,
      provenance: [{ builder_id: 'a', payload: 'eA==', signature: 'eQ==', payload_type: 'x' }],
    },
    'another status': { ...base, vex: [{ ...base.vex[0], status: 'not_affected' }] },
    'another envelope': { ...base, vex: [{ ...base.vex[0], payload_type: 'x' }] },
  };
  test('differs for whatever a decision reads', () => {
    const digests = [base, ...Object.values(changed)].map((document) =>
      factsDigest(parseImageFacts(document)),
    );
    assert.equal(new Set(digests).size, digests.length);
  });
});

suite('inputsDigest', () => {
  const reference = parseReference('ghcr.io/acme/web:1') as ImageReference;
  const subject: Subject = {
    reference,
    digest: null,
    facts: NO_FACTS,
    signals: [],
    exposedBy: null,
    quota: null,
    coldImagePolicy: 'AllowAndScan',
    breakGlass: null,
  };

  test('differs for each input of a decision, and keeps the request to bypass out', () => {
    const variants: readonly Subject[] = [
      subject,
      { ...subject, digest: DIGEST },
      { ...subject, facts: parseImageFacts({ digest: DIGEST }) },
      { ...subject, signals: null },
      { ...subject, signals: ['root'] },
      { ...subject, exposedBy: 'Service shop/web' },
      { ...subject, quota: 'node ceiling of 3 exceeded' },
      { ...subject, coldImagePolicy: 'DenyUntilScanned' },
    ];
    const digests = variants.map((variant) => inputsDigest(variant, reference.text));
    assert.equal(
      new Set([...digests, inputsDigest(subject, 'ghcr.io/acme/web:2')]).size,
      variants.length + 1,
    );
    const bypass = { ...subject, breakGlass: { reason: 'INC-1', groups: ['sre'] } };
    assert.equal(inputsDigest(bypass, reference.text), inputsDigest(subject, reference.text));
  });

  test('hostile text has a digest too', () => {
    const facts = parseImageFacts({
      digest: DIGEST,
      scan: { findings: [{ cve: 'CVE-\ud800\u0000', severity: 'LOW' }] },
    });
    assert.match(inputsDigest({ ...subject, facts }, reference.text), /^[0-9a-f]{64}$/);
  });

  test('is the same on every machine', () => {
    // Ledgers hold it: with another form every row of the past would read as decided on other facts.
    const facts = sha256Hex('{"attestations":[],"provenance":[],"scan":null,"signatures":[],"vex":[]}');
    const inputs = `{"cold_image_policy":"AllowAndScan","digest":null,"exposed_by":null,"facts":"${facts}","image":"ghcr.io/acme/web:1","quota":null,"signals":[]}`;
    assert.equal(inputsDigest(subject, reference.text), sha256Hex(inputs));
  });
});

test('the recorded digest goes before that of the reference', () => {
  const other = `sha256:${'b'.repeat(64)}`;
  const reference = parseReference(`web@${DIGEST}`) as ImageReference;
  assert.equal(effectiveDigest(other, reference), other);
  assert.equal(effectiveDigest(null, reference), DIGEST);
  assert.equal(effectiveDigest(null, parseReference('web') as ImageReference), null);
});
