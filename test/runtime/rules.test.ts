import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  parseEvent,
  PRIORITIES,
  RuntimeDecider,
  runtimeRule,
  toRecorded,
  type DetectorEvent,
} from '../../src/runtime/index.ts';
import { oracle, type OracleRule } from './oracle.ts';
import { noRealEvents, realLines } from './real-events.ts';

function read(line: string): DetectorEvent {
  const event = parseEvent(line, null);
  if ('fault' in event) throw new Error(event.fault);
  return event;
}

test(
  'of every real event under 200 random lists of rules, rule, effect and alert equal those of the oracle',
  {
    skip: noRealEvents,
  },
  () => {
    const lines = realLines();
    const events = lines.map(read);
    const subjects = events.map((event, i) => toRecorded(event, i).subject);
    const some = <T>(values: readonly T[]) => fc.constantFrom(...new Set(values));
    const texts = events.flatMap(({ fields }) =>
      [...fields].flatMap(([name, value]) => (value === null || value === '' ? [] : [{ name, value }])),
    );
    const field = some(texts).chain(({ name, value }) =>
      fc.oneof(
        fc.constant({ name, equals: value }),
        fc.constant({ name, in: ['nothing', value] }),
        fc.constant({ name, matches: `.${value.slice(1, 2) === 'a' ? 'a' : ''}.*` }),
        fc.constant({ name, matches: '[0-9]+' }),
      ),
    );
    const rarely = <T>(values: fc.Arbitrary<T>) =>
      fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: values });
    const list = (values: readonly string[]) =>
      rarely(fc.array(some(values), { minLength: 1, maxLength: 6 }));
    const rule = fc.record({
      match: fc.record({
        rules: list(events.map((event) => event.rule)),
        tags: list(events.flatMap(({ tags }) => tags)),
        priority: rarely(some(PRIORITIES)),
        sources: list(events.map(({ source }) => source)),
        fields: rarely(fc.array(field, { minLength: 1, maxLength: 2 })),
        namespaces: list(['default', 'catalog', 'openfaas-fn']),
        lastVerdict: rarely(some(['none', 'none', 'allowed'])),
        signed: rarely(fc.boolean()),
      }),
      enabled: fc.constantFrom(true, true, true, false),
      action: some(['allow', 'record', 'notify'] as const),
      window: rarely(
        fc.record({ count: fc.integer({ min: 1, max: 4 }), seconds: some([30, 86_400, 604_800]) }),
      ),
      throttleSeconds: rarely(some([0, 60, 2_000_000])),
    });
    let decided = 0;
    fc.assert(
      fc.property(fc.array(rule, { minLength: 1, maxLength: 6 }), (drawn) => {
        const rules = drawn.map((one, i) => ({ name: `rule ${i}`, ...one }) as OracleRule);
        const decider = new RuntimeDecider(rules.map(toOurs), []);
        const ours = subjects.map((subject) => {
          const { rule: name, effect, alert } = decider.decide(subject);
          if (name !== null) decided += 1;
          return { rule: name, effect, alert };
        });
        assert.deepEqual(ours, oracle(lines, rules));
      }),
      { numRuns: 200, seed: 19 },
    );
    assert.ok(decided > 500, `only ${decided} events were decided by a rule`);
  },
);

function toOurs({ window, throttleSeconds, ...rule }: OracleRule) {
  const defined = Object.fromEntries(Object.entries(rule.match).filter(([, value]) => value !== undefined));
  return runtimeRule.parse({
    ...rule,
    match: defined,
    ...(window !== undefined && { window: { count: window.count, duration: `${window.seconds}s` } }),
    ...(throttleSeconds !== undefined && { throttle: `${throttleSeconds}s` }),
  });
}

test('decisions are the same when a decider begins in between and is told what was decided', () => {
  const event = fc.record({
    at: fc.integer({ min: 1_800_000_000_000, max: 1_800_000_600_000 }),
    digest: fc.constantFrom('a', 'b', null),
    rule: fc.constantFrom('shell', 'write'),
  });
  const rules = [
    {
      name: 'three',
      match: { rules: ['shell'] },
      window: { count: 3, duration: '2m' },
      action: 'notify',
      throttle: '1m',
    },
    { name: 'all', match: {}, action: 'notify', throttle: '3m' },
  ].map((rule) => runtimeRule.parse(rule));
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), fc.nat(60), (events, at) => {
      const subjects = events.map((one) => ({
        ...{ ...one, kind: 'event' as const, priority: 'Notice' as const, source: 'syscall', tags: [] },
        ...{ fields: new Map(), host: 'n', namespace: 'shop', lastVerdict: 'none' as const, signed: false },
      }));
      const whole = new RuntimeDecider(rules, []);
      const answers = subjects.map((subject) => whole.decide(subject));
      const later = new RuntimeDecider(rules, []);
      subjects.slice(0, at).forEach((subject, i) => {
        const { rule = null, effect = null, alert = false } = answers[i] ?? {};
        later.resume({ subject, rule, effect, alerted: alert });
      });
      const rest = subjects.slice(at).map((subject) => later.decide(subject));
      assert.deepEqual(rest, answers.slice(at));
    }),
  );
});

test('a throttle of zero holds no alert back, not even of an event that comes late', () => {
  const [rule] = [{ name: 'all', match: {}, action: 'notify', throttle: '0s' }].map((one) =>
    runtimeRule.parse(one),
  );
  assert.ok(rule);
  const decider = new RuntimeDecider([rule], []);
  const alerts = [2_000, 1_000, 2_000].map((at) => {
    const { alert } = decider.decide({
      at,
      kind: 'event',
      rule: 'shell',
      priority: 'Notice',
      source: 'syscall',
      tags: [],
      fields: new Map(),
      host: 'n',
      digest: null,
      namespace: null,
      lastVerdict: 'none',
      signed: false,
    });
    return alert;
  });
  assert.deepEqual([alerts, decider.memory], [[true, true, true], 0]);
});
