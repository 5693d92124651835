import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { decide } from '../../src/decision/index.ts';
import { NO_FACTS, type ImageFacts } from '../../src/facts/index.ts';
import { parseReference } from '../../src/image/index.ts';
import { governs, parsePolicies } from '../../src/policy/index.ts';
import { importedText, importPolicies } from '../../src/policy-import/index.ts';
import { runs } from '../runs.ts';
import { OUTCOMES } from './outcomes.ts';

const DATA = join(import.meta.dirname, '../../../shared/data/import');
const skip = existsSync(DATA) ? false : `${DATA} is not there`;
const read = (file: string) => importPolicies([{ file, text: readFileSync(join(DATA, file), 'utf8') }]);

interface Given {
  readonly image: string;
  readonly namespace: string;
  readonly signers: readonly (readonly [identity: string, issuer: string])[];
}

const RELEASE =
  'gcr.io/projectsigstore/policy-webhook@sha256:d1e7af59381793687db4673277005276eb73a06cf555503138dd18eaa1ca47d6';
const WORKFLOWS = 'https://github\\.com/sigstore/policy-controller/\\.github/workflows';
const GITHUB = 'https://token.actions.githubusercontent.com';
const signedBy = ({ signers }: Given, who: RegExp): boolean =>
  signers.some(([identity, issuer]) => issuer === GITHUB && who.test(identity));

/** What the original denies, read by hand: of each file whose rules are all said the same or stricter. */
const DENIES: Readonly<Record<string, (given: Given) => boolean>> = {
  'kyverno/best-practices-cel_disallow-latest-tag.yaml': ({ image }) =>
    !image.includes(':') || image.endsWith(':latest'),
  'kyverno/best-practices_disallow-latest-tag.yaml': ({ image }) =>
    !image.includes(':') || image.endsWith(':latest'),
  'kyverno/best-practices_restrict-image-registries.yaml': ({ image }) =>
    !/^(?:eu\.foo\.io|bar\.io)\//.test(image),
  'kyverno/flux_verify-flux-images.yaml': (given) =>
    /^(?:ghcr|docker)\.io\/fluxcd\/(?:source|kustomize|helm|notification|image-reflector|image-automation)-controller:/.test(
      given.image,
    ) && !signedBy(given, /^https:\/\/github\.com\/fluxcd\//),
  'kyverno/other_require-image-checksum.yaml': ({ image }) => !image.includes('@'),
  'gatekeeper/disallowedtags_samples_container-image-must-not-have-latest-tag_constraint.yaml': ({
    image,
    namespace,
  }) =>
    namespace === 'default' &&
    (image.endsWith(':latest') || !image.includes(':')) &&
    !['openpolicyagent/opa-exp:latest', 'openpolicyagent/opa-exp2:latest'].includes(image),
  'gatekeeper/imagedigests_samples_container-image-must-have-digest_constraint.yaml': ({
    image,
    namespace,
  }) => namespace === 'default' && !/@[a-z0-9]+(?:[+._-][a-z0-9]+)*:[a-zA-Z0-9=_-]+/.test(image),
  // None of the signatures that are tried is by its key.
  'policy-controller/cip-key-no-rekor.yaml': ({ image }) => image.includes('demo'),
  'policy-controller/release-signed-by-github-actions.yaml': (given) =>
    given.image === RELEASE &&
    !signedBy(given, new RegExp(`^${WORKFLOWS}/release\\.yaml@refs/tags/v0\\.3\\.0$`)),
  'policy-controller/signed-by-github-actions.yaml': (given) =>
    !signedBy(given, new RegExp(`^${WORKFLOWS}/policy-tester-examples\\.yml@refs/heads/main$`)),
};

const names = [
  ...[
    'nginx',
    'eu.foo.io/a',
    'eu.foo.io.evil/a',
    'bar.io/x/y',
    'localhost:5000/a',
    'ghcr.io/fluxcd/source-controller',
    'docker.io/fluxcd/helm-controller',
  ],
  ...[
    'openpolicyagent/opa-exp',
    'openpolicyagent/opa',
    'registry.local:5000/demo',
    'ghcr.io/acme/demo/x',
    'ghcr.io/sigstore/timestamp-server',
  ],
];
const given: fc.Arbitrary<Given> = fc.record({
  image: fc
    .tuple(
      fc.constantFrom(...names),
      fc.constantFrom('', ':latest', ':1.0', ':v1-latest'),
      fc.constantFrom('', `@sha256:${'a'.repeat(64)}`),
    )
    .map((parts) => parts.join(''))
    .chain((image) => fc.constantFrom(image, image, image, RELEASE)),
  namespace: fc.constantFrom('default', 'shop'),
  signers: fc.array(
    fc.tuple(
      fc.constantFrom(
        ...[
          'https://github.com/fluxcd/x/.github/workflows/a@refs/tags/v1',
          'https://github.com/fluxcd',
          'https://evil.example/fluxcd/',
        ],
        ...[
          'https://github.com/sigstore/policy-controller/.github/workflows/release.yaml@refs/tags/v0.3.0',
          'a@b.c',
          'xhttps://github.com/fluxcd/x',
        ],
      ),
      fc.constantFrom(GITHUB, 'https://accounts.google.com'),
    ),
    { maxLength: 2 },
  ),
});

suite('every file of the collection', { skip }, () => {
  test('is in the table of outcomes', () => {
    const files = readdirSync(DATA, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.yaml') && !file.endsWith('template.yaml'),
    );
    assert.deepEqual(Object.keys(OUTCOMES).toSorted(), files.toSorted());
    for (const file of files)
      assert.equal(
        read(file)
          .rules.map(({ outcome }) => outcome)
          .join(' '),
        OUTCOMES[file],
        file,
      );
  });

  for (const [file, outcomes] of Object.entries(OUTCOMES)) {
    if (outcomes.split(' ').some((outcome) => outcome === 'wider' || outcome === 'not_covered')) continue;
    test(`${file}: what the original denies is never allowed by ours`, () => {
      const denies = DENIES[file];
      assert.ok(denies, `no reading of ${file}`);
      const { policies, problems } = parsePolicies(importedText(read(file)), file);
      assert.deepEqual(problems, []);
      let denied = 0;
      fc.assert(
        fc.property(given, (one) => {
          const reference = parseReference(one.image);
          assert.ok(!('fault' in reference));
          const digest = `sha256:${'a'.repeat(64)}`;
          const facts: ImageFacts = {
            ...{ ...NO_FACTS, digest },
            signatures: one.signers.map(([identity, issuer]) => ({
              identity,
              issuer,
              payload: null,
              signature: null,
              payloadType: null,
            })),
          };
          const allowed = policies.every(({ policy }) => {
            if (!governs(policy, one.namespace)) return true;
            const subject = {
              reference,
              digest,
              facts,
              signals: [],
              exposedBy: null,
              quota: null,
              coldImagePolicy: 'AllowAndScan' as const,
              breakGlass: null,
            };
            return decide(policy, subject, 0).kind === 'admit';
          });
          if (denies(one)) {
            denied += 1;
            assert.equal(allowed, false, JSON.stringify(one));
          }
        }),
        { numRuns: runs(200) },
      );
      assert.ok(denied > 0, 'the original denies none of what was tried');
    });
  }
});
