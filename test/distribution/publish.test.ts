import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toChanges } from '../../scripts/release/changes.ts';
import { publishSteps } from '../../scripts/release/publish.ts';

test('the image is signed before anything that names it is published, and npm is last', () => {
  const steps = publishSteps({
    version: '1.0.0',
    registry: 'registry.example.com/acme',
    digest: `sha256:${'a'.repeat(64)}`,
    chartDigest: `sha256:${'b'.repeat(64)}`,
    folder: 'release',
    key: 'k.pem',
    signingConfig: null,
  }).map((step) => step.slice(0, 2).join(' '));
  assert.deepEqual(steps, [
    'oras cp',
    'cosign sign',
    'cosign sign',
    ...Array.from({ length: 4 }, () => 'cosign attest'),
    'oras cp',
    'cosign sign',
    'cosign sign',
    'cosign sign-blob',
    'cosign attest-blob',
    'cosign sign-blob',
    'cosign attest-blob',
    'npm publish',
  ]);
});

test('the changes of a version are the first sentences of its entries', () => {
  const changelog = `# Changelog

## Unreleased

### Added

- Nothing yet.

## 1.4.0 (2026-11-20)

### Added

- \`ipo whatif\` takes two policies ([docs](docs/x.md)). More about
  it.

### Fixed

- A list: one, two.
`;
  assert.deepEqual(toChanges(changelog, '1.4.0'), [
    { kind: 'added', description: '`ipo whatif` takes two policies (docs).' },
    { kind: 'fixed', description: 'A list.' },
  ]);
  assert.deepEqual(toChanges(changelog, '1.5.0'), [{ kind: 'added', description: 'Nothing yet.' }]);
});
