import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { fieldSentence } from '../../src/base/index.ts';
import { fromProblem } from '../../src/adapters/service/faults.ts';
import { IMAGE_POLICY, readPolicyObject } from '../../src/cluster/index.ts';
import { toPolicyStatus } from '../../src/cluster/policy-status.ts';
import { parsePolicyValue, PolicyError } from '../../src/policy/index.ts';

suite('A fault of a field is a sentence that names the field once', () => {
  for (const [path, message, sentence] of [
    ['spec.sla.critical', 'spec.sla.critical must be above 0s', 'spec.sla.critical must be above 0s'],
    ['policy.spec.sla.high', 'spec.sla.high must be above 0s', 'spec.sla.high must be above 0s'],
    ['spec.x', 'unknown field "spec.x"', 'unknown field "spec.x"'],
    ['days', 'must be between 1 and 90', 'days: must be between 1 and 90'],
    ['name', 'names must be given', 'name: names must be given'],
    ['spec.sla', 'spec.sla2 is unknown', 'spec.sla: spec.sla2 is unknown'],
    ['', 'the document is not a policy', 'the document is not a policy'],
  ] as const)
    test(`${path || 'the whole'}: ${message}`, () => {
      assert.equal(fieldSentence({ path, message }), sentence);
    });

  const invalid = {
    apiVersion: 'ipo.dev/v1',
    kind: 'ImagePolicy',
    metadata: { name: 'guard' },
    spec: { sla: { critical: '0s' }, severityThreshold: 'SEVERE', unknown: 1, allowedRegistries: [''] },
  };
  const paths = ['spec.sla.critical', 'spec.severityThreshold', 'spec.unknown', 'spec.allowedRegistries[0]'];
  const once = (text: string): void => {
    for (const path of paths) assert.equal(text.split(path).length - 1, 1, `${path} in: ${text}`);
  };

  test('the condition, the event and the log of an invalid ImagePolicy', () => {
    const read = readPolicyObject(IMAGE_POLICY, {
      ...{ name: 'guard', uid: 'u', version: '1', generation: 1, status: {}, value: invalid },
    });
    assert.ok(read.policy === null);
    once(read.fault); // the event and the log say it as it is
    once(toPolicyStatus(read, null, 0)?.conditions?.[0]?.message ?? '');
  });

  test('what the command line says of an invalid policy that the service refused', () => {
    const problems = (() => {
      try {
        parsePolicyValue(invalid, 'policy');
      } catch (error) {
        if (error instanceof PolicyError) return error.problems;
      }
      return assert.fail();
    })();
    const body = {
      ...{ type: 'x', title: 'x', status: 422, code: 'invalid_policy', detail: problems[0]?.message },
      ...{ request_id: 'r', errors: problems.map(({ path, message }) => ({ path, message })) },
    };
    once(fromProblem('http://s', 422, JSON.stringify(body)).message);
  });
});
