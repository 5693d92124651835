import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { RE2JS } from 're2js';
import type { ReviewEvent, TagAnswer } from '../../src/admission/index.ts';
import { StateTeller } from '../../src/app/processes/kept-state.ts';
import { TOPICS } from '../../src/app/webhook/acts.ts';
import { CountRelay, NO_COUNTS, putCounts } from '../../src/app/webhook/count-relay.ts';
import { EventRelay } from '../../src/app/webhook/event-relay.ts';
import { RememberedTags } from '../../src/app/webhook/remembered-tags.ts';
import { ToldState } from '../../src/app/webhook/told-state.ts';
import type { Policy } from '../../src/policy/index.ts';
import { openMetrics } from '../../src/telemetry/index.ts';
import { AT, DIGEST, policyOf } from '../admission/reviews.ts';
import { keptLog } from '../api/service.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

function told() {
  const time = { now: AT };
  const heard: unknown[] = [];
  const state = new ToldState({
    clock: { now: () => time.now },
    certificate: ({ cert }) => void heard.push(cert),
    paths: (ends) => void heard.push(ends),
    authority: (pem) => void heard.push(pem),
  });
  const teller = () => new StateTeller((piece) => state.take(structuredClone(piece)));
  return { state, heard, time, teller };
}

const front = { namespace: 'shop', name: 'front', selector: [['app', 'web']] as const, open: true };
const WEB = new Map([['app', 'web']]);

suite('What the webhook knows from the service', () => {
  test('decides nothing before policies, Services and Ingresses were told whole', () => {
    const { state, teller } = told();
    state.begin();
    const tell = teller();
    assert.equal(state.policies.current(), null);
    assert.match(state.exposure.unready?.() ?? '', /services/);
    tell.set(TOPICS.policies, new Map());
    tell.set(TOPICS.services, new Map([['shop/front', front]]));
    assert.deepEqual(state.policies.current(), []);
    assert.match(state.exposure.unready?.() ?? '', /ingresses/);
    tell.set(TOPICS.ingresses, new Map());
    assert.equal(state.exposure.unready?.(), null);
    assert.equal(state.exposure.of('shop', WEB), 'Service shop/front');
  });

  test('keeps a policy one object as long as its revision stays, also from another life of the service', () => {
    const { state, teller } = told();
    state.begin();
    const policies = ['a', 'b'].map((name) => policyOf('{ enforcement: Enforce }', name));
    const all = new Map(policies.map((policy) => [policy.name, policy]));
    teller().set(TOPICS.policies, all);
    const first = state.policies.current();
    state.away();
    state.begin();
    const tell = teller();
    tell.set(TOPICS.policies, all);
    assert.equal(state.policies.current(), first);
    tell.set(TOPICS.policies, new Map([...all].slice(0, 1)));
    assert.deepEqual(
      state.policies.current()?.map((policy) => policy === first?.[0]),
      [true],
    );
  });

  test('compiles the patterns of a policy when it comes, not with the first review under it', async (t) => {
    const { state, teller } = told();
    const compiled = t.mock.method(RE2JS, 'compile');
    state.begin();
    const spec =
      '{ vex: { mode: apply, trustedIssuers: [{ identityRegExp: "told@acme[.].+", issuer: "https://i.example" }] } }';
    // As another process reads it: here the pattern was compiled while the policy was read.
    const policy = JSON.parse(JSON.stringify(policyOf(spec)).replaceAll('told', 'heard')) as Policy;
    teller().set(TOPICS.policies, new Map([[policy.name, policy]]));
    await turn();
    await turn();
    assert.ok(compiled.mock.calls.some(({ arguments: [text] }) => text === 'heard@acme[.].+'));
  });

  test('forgets Services that another life of the service does not tell of', () => {
    const { state, teller } = told();
    state.begin();
    teller().set(TOPICS.services, new Map([['shop/front', front]]));
    assert.equal(state.exposure.of('shop', WEB), 'Service shop/front');
    state.begin();
    teller().set(TOPICS.services, new Map());
    assert.equal(state.exposure.of('shop', WEB), null);
  });

  test('stands while the service is away, and counts as old after 15 seconds or as long as the service said', () => {
    const { state, time, teller } = told();
    state.begin();
    const tell = teller();
    assert.equal(state.policies.staleSince(), null);
    tell.set(TOPICS.stale, new Map([['exposure', AT - 5]]));
    assert.deepEqual([state.policies.staleSince(), state.exposure.staleSince?.()], [null, AT - 5]);
    tell.set(TOPICS.stale, new Map([['exposure', null]]));
    state.away();
    time.now += 15_000;
    assert.equal(state.policies.staleSince(), null);
    time.now += 1;
    assert.deepEqual([state.policies.staleSince(), state.exposure.staleSince?.()], [AT, AT]);
    state.begin();
    assert.equal(state.policies.staleSince(), null);
  });

  test('takes the certificate, and by whom it is called', () => {
    const { state, heard, teller } = told();
    state.begin();
    const tell = teller();
    tell.set(TOPICS.certificate, new Map([['serving', { cert: 'PEM', key: 'KEY' }]]));
    tell.set(TOPICS.callers, new Map<string, unknown>([['paths', ['abc']]]));
    const both = new Map<string, unknown>([
      ['paths', ['abc']],
      ['authority', 'CA'],
    ]);
    tell.set(TOPICS.callers, both);
    assert.deepEqual(heard, ['PEM', ['abc'], ['abc'], 'CA']);
    assert.equal(state.platformOf('node-1'), null);
    tell.set(TOPICS.nodes, new Map([['node-1', 'linux/arm64']]));
    assert.equal(state.platformOf('node-1'), 'linux/arm64');
  });
});

test('a remembered tag is answered at once, refreshed meanwhile, and forgotten in the end', async () => {
  let now = 0;
  const asked: ((answer: TagAnswer) => void)[] = [];
  const tags = new RememberedTags({
    ask: () => new Promise((resolve) => void asked.push(resolve)),
    monotonic: () => now,
  });
  const signal = new AbortController().signal;
  const first = tags.digestOf('ghcr.io/acme/web:1', signal);
  asked.shift()?.({ digest: DIGEST });
  assert.deepEqual(await first, { digest: DIGEST });
  now = 5_000;
  await tags.digestOf('ghcr.io/acme/web:1', signal);
  assert.equal(asked.length, 0, 'it is new enough');
  now = 5_001;
  assert.deepEqual(await tags.digestOf('ghcr.io/acme/web:1', signal), { digest: DIGEST });
  await tags.digestOf('ghcr.io/acme/web:1', signal);
  assert.equal(asked.length, 1, 'asked for anew, once');
  now = 15_001;
  const late = tags.digestOf('ghcr.io/acme/web:1', signal);
  assert.equal(asked.length, 2, 'too old to be used');
  asked.pop()?.({ digest: null, why: 'ghcr.io does not answer' });
  assert.deepEqual(await late, { digest: null, why: 'ghcr.io does not answer' });
  void tags.digestOf('ghcr.io/acme/web:1', signal);
  assert.equal(asked.length, 2, 'what is not known is not remembered');
});

test('what is counted in one process stands in the metrics of the other', async () => {
  const [relay, metrics] = [new CountRelay(), openMetrics()];
  relay.collect(async () => relay.set('svc_admission_reviews_in_flight', 3));
  for (let i = 0; i < 3; i += 1) {
    relay.add('svc_ledger_rows_total', {}, 2);
    relay.add('svc_admission_reviews_total', { outcome: 'allowed' });
    relay.observe('svc_admission_review_seconds', 0.001);
  }
  const first = structuredClone(await relay.take(null));
  assert.equal(first.added.length, 2);
  // That answer came too late: it is given again, with what was counted since.
  relay.add('svc_ledger_rows_total');
  const second = structuredClone(await relay.take(null));
  putCounts(metrics, second);
  const { added, observed } = await relay.take(second.number);
  assert.deepEqual([added, observed], [[], []], 'each is handed over once');
  putCounts(metrics, NO_COUNTS);
  const text = await metrics.text();
  for (const line of [
    'svc_ledger_rows_total 7',
    'svc_admission_reviews_total{outcome="allowed"} 3',
    'svc_admission_reviews_in_flight 3',
    'svc_admission_review_seconds_count 3',
  ])
    assert.ok(text.includes(line), line);
});

test('events wait for the process that tells the cluster, as many as it would take', async () => {
  const log = keptLog();
  const taken: number[] = [];
  let there = false;
  let slow = Promise.resolve();
  const relay = new EventRelay(async (events) => {
    if (there) taken.push(events.length);
    await slow;
    return there;
  }, log);
  const event: ReviewEvent = {
    ...{ kind: 'denied', allowed: false, namespace: 'shop', pod: 'web', podUid: null, owner: null },
    message: 'registry not allowed: docker.io/library/nginx',
  };
  for (let i = 0; i < 1_003; i += 1) relay.happened(event);
  await turn();
  assert.deepEqual([taken, log.lines.length], [[], 1]);
  there = true;
  relay.flush();
  await turn();
  relay.happened(event);
  relay.happened(event);
  await turn();
  assert.deepEqual(taken, [1_000, 2]);
  const busy = Promise.withResolvers<void>();
  slow = busy.promise;
  for (let i = 0; i < 5; i += 1) {
    relay.happened(event);
    await turn();
  }
  assert.deepEqual(taken, [1_000, 2, 1], 'nothing more is sent to one that has not taken the last message');
  busy.resolve();
  await turn();
  await turn();
  assert.deepEqual(taken, [1_000, 2, 1, 4]);
});
