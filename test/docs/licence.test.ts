import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8').replaceAll(/\s+/g, ' ');

/** Every text that promises a ceiling, an allowance or the gate `quota`. */
const PROMISES = [
  'README.md',
  'CHANGELOG.md',
  'docs/settings.md',
  'docs/kubernetes.md',
  'docs/metrics.md',
  'man/ipo-check.1',
  'man/ipo-whatif.1',
  'charts/image-policy-operator/values.yaml',
  'charts/image-policy-operator/values.schema.json',
];

suite('A ceiling is not promised before a licence certificate can be activated', () => {
  // The reconciliation is opened without ceilings, so that none is set.
  const activates = /\bceilings\b/.test(textOf('src/app/service/operator.ts'));
  for (const file of PROMISES)
    test(`${file} says so as long as nothing in the service writes a certificate`, () => {
      assert.equal(/takes no licence certificate yet/.test(textOf(file)), !activates, file);
    });
});
