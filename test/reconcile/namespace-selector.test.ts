import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selects, type NamespaceSelector } from '../../src/reconcile/index.ts';

const none: NamespaceSelector = { matchLabels: {}, matchExpressions: [] };
const labels = { 'kubernetes.io/metadata.name': 'shop', team: 'web', canary: '' };

test('a selector without labels and expressions means every namespace', () => {
  assert.ok(selects(none, labels));
  assert.ok(selects(none, {}));
});

test('labels and expressions compare as Kubernetes compares them', () => {
  const cases: readonly [what: string, selector: Partial<NamespaceSelector>, expected: boolean][] = [
    ['a label with the value', { matchLabels: { team: 'web' } }, true],
    ['a label with another value', { matchLabels: { team: 'data' } }, false],
    ['a label that is not there', { matchLabels: { zone: 'web' } }, false],
    ['a name of every object', { matchLabels: { constructor: 'web' } }, false],
    ['In', { matchExpressions: [{ key: 'team', operator: 'In', values: ['data', 'web'] }] }, true],
    ['In, another value', { matchExpressions: [{ key: 'team', operator: 'In', values: ['data'] }] }, false],
    ['In, no label', { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }, false],
    ['NotIn', { matchExpressions: [{ key: 'team', operator: 'NotIn', values: ['data'] }] }, true],
    ['NotIn, the value', { matchExpressions: [{ key: 'team', operator: 'NotIn', values: ['web'] }] }, false],
    ['NotIn, no label', { matchExpressions: [{ key: 'zone', operator: 'NotIn', values: ['a'] }] }, true],
    ['Exists, an empty value', { matchExpressions: [{ key: 'canary', operator: 'Exists' }] }, true],
    ['Exists, no label', { matchExpressions: [{ key: 'zone', operator: 'Exists' }] }, false],
    ['DoesNotExist', { matchExpressions: [{ key: 'zone', operator: 'DoesNotExist' }] }, true],
    ['DoesNotExist, a label', { matchExpressions: [{ key: 'canary', operator: 'DoesNotExist' }] }, false],
    [
      'one of two that does not hold',
      { matchLabels: { team: 'web' }, matchExpressions: [{ key: 'zone', operator: 'Exists' }] },
      false,
    ],
  ];
  for (const [what, selector, expected] of cases)
    assert.equal(selects({ ...none, ...selector }, labels), expected, what);
});
