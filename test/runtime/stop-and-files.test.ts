import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  explainEvent,
  guardStop,
  parseEvent,
  parseRuntimeFile,
  readEventLines,
  RuntimeReplay,
  runtimePolicySpec,
  toRecorded,
  type StopQuestion,
} from '../../src/runtime/index.ts';

const QUESTION: StopQuestion = {
  ...{ enforcement: 'Enforce', namespace: 'shop', podUid: 'u', mirror: false, allowEnforce: true },
  ...{ ownNamespace: 'ipo', stops: 0, maxStops: 10, workloadStops: 0, age: 3_600_000 },
};

test('a pod is stopped only under all guards, and each guard says why not', () => {
  const answer = (more: Partial<StopQuestion>): string => {
    const found = guardStop({ ...QUESTION, ...more });
    return found.kind === 'withheld' ? found.why : found.kind;
  };
  assert.equal(answer({}), 'stop');
  assert.equal(answer({ enforcement: 'Audit' }), 'would_stop');
  assert.match(answer({ allowEnforce: false }), /allowEnforce/);
  assert.match(answer({ podUid: null }), /not known/);
  assert.match(answer({ namespace: 'ipo' }), /operator/);
  assert.match(answer({ namespace: 'kube-system' }), /kube-system/);
  assert.match(answer({ namespace: 'kube-node-lease' }), /kube-node-lease/);
  assert.match(answer({ mirror: true }), /static/);
  assert.match(answer({ workloadStops: 3 }), /within an hour/);
  assert.match(answer({ stops: 10 }), /within a minute/);
  assert.match(answer({ age: 3_600_001 }), /within an hour of the event/);
});

const FILE = `apiVersion: ipo.dev/v1
kind: RuntimeRules
rules:
  - name: jobs
    match: { rules: [Cron] }
    action: allow
  - name: shells
    match: { rules: [Shell], fields: [{ name: user.uid, equals: 0 }] }
    action: notify
---
apiVersion: ipo.dev/v1
kind: RuntimePolicy
metadata: { name: stop-shells }
spec: { match: { rules: [Shell, Cron] } }
`;

test('files of rules and runtime policies are read strictly, with places', () => {
  const { rules, policies, problems } = parseRuntimeFile(FILE, 'f.yaml');
  assert.deepEqual(problems, []);
  assert.deepEqual(
    [rules?.map(({ name }) => name), policies[0]?.spec.enforcement, policies[0]?.spec.stopMode],
    [['jobs', 'shells'], 'Audit', 'immediate'],
  );
  const wrong = (text: string): readonly string[] =>
    parseRuntimeFile(text, 'f.yaml').problems.map(({ line, message }) => `${line} ${message}`);
  assert.deepEqual(wrong(FILE.replace('action: allow', 'action: block')), [
    '6 action "block" is not supported since 1.3.1; use notify, or a RuntimePolicy that stops the pod',
  ]);
  assert.deepEqual(wrong(FILE.replace('spec: { match', 'spec: { runtime: true, match')), [
    '14 unknown field "spec.runtime"',
  ]);
  assert.match(wrong(FILE.replace('equals: 0', "matches: '(?=x)'"))[0] ?? '', /^8 .*RE2/);
  assert.match(wrong(FILE.replace('name: shells', 'name: jobs'))[0] ?? '', /twice/);
  assert.match(wrong(FILE.replace('[Cron]', '[]'))[0] ?? '', /^5 /);
  assert.match(wrong('kind: Pod')[0] ?? '', /^1 kind must be RuntimeRules or RuntimePolicy$/);
  assert.match(wrong('')[0] ?? '', /no document/);
});

function line(rule: string, second: number, fields: Readonly<Record<string, unknown>> = {}): string {
  const time = new Date(Date.UTC(2026, 9, 7) + second * 1000).toISOString();
  return JSON.stringify({
    ...{ rule, priority: 'Notice', time, hostname: 'n' },
    output_fields: {
      ...{ 'container.image.digest': `sha256:${'a'.repeat(64)}`, 'user.uid': 0 },
      ...{ 'k8s.ns.name': 'shop', 'k8s.pod.name': 'web-1', ...fields },
    },
  });
}

test('a replay counts alerts, issues and stops, a pod being stopped once', () => {
  const { rules, policies } = parseRuntimeFile(FILE, 'f.yaml');
  const replay = new RuntimeReplay(
    { rules: rules ?? [], policies },
    { maxStops: 10, ownNamespace: null },
    true,
  );
  const { events, faults } = readEventLines(
    [
      line('Shell', 0),
      'no JSON',
      line('Shell', 1),
      line('Shell', 1),
      line('Cron', 2),
      line('Shell', 4000, { 'k8s.pod.name': 'web-2' }),
      line('Shell', 4001, { 'k8s.ns.name': 'kube-system', 'k8s.pod.name': 'dns' }),
    ].join('\n'),
  );
  assert.deepEqual(faults, [{ line: 2, fault: 'it is not JSON' }]);
  for (const event of events) replay.take(event);
  const { evaluated, effects, alerts, issues, stops, stops_withheld, samples, by_rule } = replay.result();
  assert.deepEqual(
    { evaluated, effects, alerts, issues, stops, stops_withheld },
    {
      evaluated: 5,
      effects: { allow: 1, record: 0, notify: 4 },
      alerts: 2,
      issues: 1,
      stops: 2,
      stops_withheld: 1,
    },
  );
  assert.deepEqual(
    samples.map(({ kind, pod }) => `${kind} ${pod}`),
    ['withheld dns', 'stop web-2', 'alert web-2', 'stop web-1', 'alert web-1'],
  );
  assert.deepEqual(by_rule[0], { rule: 'shells', action: 'notify', events: 4, alerts: 2 });
});

test('of several policies that ask for a stop one acts in a replay too: the first that enforces', () => {
  const policyOf = (name: string, enforcement: 'Audit' | 'Enforce') => ({
    name,
    spec: runtimePolicySpec.parse({ match: { rules: ['Shell'] }, enforcement }),
  });
  const event = parseEvent(
    JSON.stringify({
      ...{ rule: 'Shell', priority: 'Notice', time: '2026-10-07T14:02:11Z', hostname: 'n' },
      output_fields: { 'container.image.digest': `sha256:${'a'.repeat(64)}`, 'k8s.ns.name': 'shop' },
    }),
    null,
  );
  assert.ok(!('fault' in event));
  const policies = [policyOf('a', 'Audit'), policyOf('c', 'Enforce'), policyOf('b', 'Enforce')];
  for (const [pod, expected] of [
    [null, { stops: 0, stops_withheld: 1, kind: 'withheld' }],
    ['web-1', { stops: 1, stops_withheld: 0, kind: 'stop' }],
  ] as const) {
    const replay = new RuntimeReplay({ rules: [], policies }, { maxStops: 10, ownNamespace: null }, true);
    replay.take({ ...toRecorded(event, 1), pod });
    const { stops, stops_withheld, samples } = replay.result();
    assert.deepEqual(
      [stops, stops_withheld, samples.map(({ kind, by }) => [kind, by])],
      [expected.stops, expected.stops_withheld, [[expected.kind, 'b']]],
    );
  }
});

test('the explanation names what does not match', () => {
  const { rules, policies } = parseRuntimeFile(FILE, 'f.yaml');
  const event = parseEvent(line('Shell', 0, { 'user.uid': 7 }), null);
  assert.ok(!('fault' in event));
  const {
    rule,
    rules: verdicts,
    policies: judged,
  } = explainEvent(toRecorded(event, 1).subject, rules ?? [], policies);
  assert.equal(rule, null);
  assert.deepEqual(
    verdicts.map(({ failed }) => failed),
    [['rules: it is Shell'], ['fields user.uid: it is 7']],
  );
  assert.equal(judged[0]?.matches, true);
});
