import assert from 'node:assert/strict';
import { test } from 'node:test';
import { criticalWindow } from '../../src/app/running/critical-window.ts';
import { parsePolicies } from '../../src/policy/index.ts';

const HOUR = 3_600_000;

const policy = (name: string, namespaces: string, sla: string): string =>
  [
    'apiVersion: ipo.dev/v1',
    'kind: ImagePolicy',
    `metadata: { name: ${name} }`,
    `spec: { targetNamespaces: ${namespaces}${sla} }`,
  ].join('\n');

function windowOf(...texts: readonly string[]) {
  const policies = texts.map((text) => {
    const [parsed] = parsePolicies(text, 'test.yaml').policies;
    assert.ok(parsed);
    return parsed.policy;
  });
  return criticalWindow(async () => ({ policies, key: '' }));
}

test('the shortest declared window of the policies over an image holds', async () => {
  const window = windowOf(
    policy('all', '[]', ', sla: { critical: 72h }'),
    policy('shop', '[shop]', ', sla: { critical: 24h }'),
    policy('none', '[bare]', ''),
  );
  assert.equal(await window(['shop', 'ops']), 24 * HOUR);
  assert.equal(await window(['ops']), 72 * HOUR);
  assert.equal(await window([]), 72 * HOUR);
});

test('without a declaration there is no window', async () => {
  assert.equal(await windowOf(policy('none', '[]', ''))(['shop']), null);
  assert.equal(await windowOf()([]), null);
});
