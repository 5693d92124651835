import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { governing, judgeImage, judgePod } from '../../src/pods/index.ts';
import { NO_FACTS, type Subject } from '../../src/facts/index.ts';
import { parseReference, type ImageReference } from '../../src/image/index.ts';
import { parsePolicies, type Policy } from '../../src/policy/index.ts';

function policy(name: string, spec: object): Policy {
  const text = JSON.stringify({ apiVersion: 'ipo.dev/v1', kind: 'ImagePolicy', metadata: { name }, spec });
  const { policies, problems } = parsePolicies(text, 'policy.json');
  const [parsed] = policies;
  assert.ok(parsed, JSON.stringify(problems));
  return parsed.policy;
}

function subject(image: string, more: Partial<Subject> = {}): Subject {
  return {
    reference: parseReference(image) as ImageReference,
    digest: null,
    facts: NO_FACTS,
    signals: null,
    exposedBy: null,
    quota: null,
    coldImagePolicy: 'AllowAndScan',
    breakGlass: null,
    ...more,
  };
}

const AT = Date.UTC(2026, 10, 20);
const ENFORCE = { enforcement: 'Enforce' };

suite('policies of a namespace', () => {
  test('those that govern it, in name order', () => {
    const all = [
      policy('b', {}),
      policy('c', { targetNamespaces: ['other'] }),
      policy('a', { targetNamespaces: ['shop'] }),
    ];
    assert.deepEqual(
      governing(all, 'shop').map(({ name }) => name),
      ['a', 'b'],
    );
    assert.deepEqual(
      governing(all, 'other').map(({ name }) => name),
      ['b', 'c'],
    );
  });
});

suite('an image under several policies', () => {
  const noLatest = policy('a', { ...ENFORCE, denyLatestTag: true });
  const signed = policy('b', { ...ENFORCE, signature: { required: true, identities: [{ identity: 'me' }] } });
  const unknownSignatures = { ...NO_FACTS, signatures: null };

  test('the first refusal in name order rules, and warnings come from those that admit', () => {
    const warns = policy('c', { digestEnforcement: 'warn' });
    const { outcome, verdicts, warnings } = judgeImage([noLatest, warns], subject('nginx'), AT);
    assert.deepEqual([outcome.allowed, outcome.label, outcome.policy?.name], [false, 'tag', 'a']);
    assert.deepEqual(
      verdicts.map(({ decision }) => decision.kind),
      ['refuse', 'admit'],
    );
    assert.deepEqual(warnings, ['digest required: nginx']);
  });

  test('an enforcing policy that lacks a fact leaves the image undecided', () => {
    assert.equal(
      judgeImage([signed], subject('nginx:1', { facts: unknownSignatures }), AT).undecided,
      'signatures',
    );
  });

  test('unless another refuses', () => {
    const { undecided, outcome } = judgeImage(
      [noLatest, signed],
      subject('nginx', { facts: unknownSignatures }),
      AT,
    );
    assert.deepEqual([undecided, outcome.allowed], [null, false]);
  });

  test('an audit policy that lacks a fact could not have refused', () => {
    const audit = { ...signed, spec: { ...signed.spec, enforcement: 'Audit' as const } };
    assert.equal(judgeImage([audit], subject('nginx:1', { facts: unknownSignatures }), AT).undecided, null);
  });

  test('without a policy everything is admitted', () => {
    const { outcome, warnings } = judgeImage([], subject('nginx'), AT);
    assert.deepEqual([outcome.allowed, outcome.policy, warnings], [true, null, []]);
  });
});

suite('workload hardening', () => {
  const block = policy('block', {
    ...ENFORCE,
    workloadHardening: 'block',
    breakGlass: { allowed: true, groups: ['sre'] },
  });
  const audit = policy('audit', { workloadHardening: 'block' });
  const warn = policy('warn', { ...ENFORCE, workloadHardening: 'warn' });
  const SENTENCE = 'workload hardening: privileged, root';

  test('refuses with the signals', () => {
    const { allowed, label, reason } = judgePod([audit, block], ['privileged', 'root'], null);
    assert.deepEqual([allowed, label, reason], [false, 'workload_hardening', SENTENCE]);
  });

  test('an audit policy records it', () => {
    const { allowed, label, reason, policy: by } = judgePod([audit, warn], ['privileged', 'root'], null);
    assert.deepEqual(
      [allowed, label, reason, by?.name],
      [true, 'workload_hardening', `audit mode: ${SENTENCE}`, 'audit'],
    );
  });

  test('warn says it and admits', () => {
    const { allowed, label, reason, warnings } = judgePod([warn], ['privileged', 'root'], null);
    assert.deepEqual([allowed, label, reason, warnings], [true, null, '', [SENTENCE]]);
  });

  test('a pod without signals passes', () => {
    assert.equal(judgePod([block, warn], [], null).allowed, true);
    assert.deepEqual(judgePod([warn], [], null).warnings, []);
  });

  test('break-glass bypasses it only for the groups of the policy', () => {
    const granted = judgePod([block], ['root'], { reason: 'outage', groups: ['sre'] });
    assert.deepEqual([granted.allowed, granted.label, granted.verdicts[0]?.breakGlass], [true, null, true]);
    assert.equal(judgePod([block], ['root'], { reason: 'outage', groups: ['dev'] }).allowed, false);
    assert.equal(judgePod([block], ['root'], { reason: ' ', groups: ['sre'] }).allowed, false);
  });
});
