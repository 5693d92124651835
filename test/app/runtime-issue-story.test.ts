import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { textOf } from '../../bin/demo/trackers/watch.ts';
import { exampleChannel, startFake, VENDOR_LIMITS } from '../../fakes/index.ts';
import type { TrackingBody } from '../../src/api/contract/tracking.ts';
import { DemoTime, startTrackerDemo } from '../../src/app/index.ts';
import { DecideEvents, parseEvent, readRule, type PodsNow } from '../../src/runtime/index.ts';
import {
  decisionStore,
  openStore,
  runtimeIntake,
  runtimePolicySource,
  runtimeRuleStore,
} from '../../src/store/index.ts';
import { forEachEngine } from '../store/engines.ts';
import { scratchDirectory } from './running.ts';

/** Not the cluster of the service, whose leader decides events of its own. */
const CLUSTER = 'another-cluster';
const DIGEST = `sha256:${'ab'.repeat(32)}`;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** A digest that an event names runs. */
const EVERYTHING: PodsNow = {
  byUid: () => null,
  byName: () => null,
  byContainer: () => null,
  imageOf: (digest) => digest,
};

forEachEngine('the story of an issue for a runtime alert', (engine) => {
  test('it is filed once though GitHub drops the answer, is found in the list, and is closed once its rule is quiet', async (t) => {
    const time = new DemoTime();
    const fake = await startFake('github', {
      clock: { now: () => time.now() },
      limits: VENDOR_LIMITS.github,
    });
    t.after(() => fake.close());
    const database = await engine.migrated();
    const store = await openStore({ url: database });
    t.after(() => store.close());
    const service = await startTrackerDemo({
      ...{ directory: scratchDirectory(t), time, version: '0.0.0-test', database },
      write: () => undefined,
    });
    t.after(() => service.close());
    await service.client.json('POST /channels', {
      body: { ...(parse(exampleChannel(fake)) as object), subscriptions: ['runtime_alert'] },
    });
    await runtimeRuleStore(store).change({ at: time.now(), accountId: null, name: null }, () => [
      { id: null, rule: readRule({ name: 'shells', match: { tags: ['shell'] }, action: 'notify' }) },
    ]);
    const events = new DecideEvents({
      ...{ cluster: CLUSTER, store: decisionStore(store), rules: runtimeRuleStore(store) },
      ...{ policies: runtimePolicySource(store), pods: async () => EVERYTHING, stopper: null },
      ...{ fence: () => null, clock: time, count: { add: () => undefined } },
    });
    const report = async (more: object): Promise<void> => {
      const line = {
        ...{ hostname: 'node-1', rule: 'Terminal shell in container', priority: 'Notice', source: 'syscall' },
        ...{ tags: ['shell'], time: new Date(time.now()).toISOString(), output: 'a shell' },
        output_fields: { 'container.image.digest': DIGEST, 'k8s.ns.name': '@security' },
        ...more,
      };
      const event = parseEvent(JSON.stringify(line), time.now());
      if ('fault' in event) throw new Error(event.fault);
      await runtimeIntake(store).append(CLUSTER, [{ event, receivedAt: time.now() }]);
      await events.run(new AbortController().signal);
    };
    const rows = async (): Promise<readonly TrackingBody[]> =>
      (await service.client.json<{ items: TrackingBody[] }>('GET /tracking')).body.items;
    const effects = async (): Promise<readonly [string | null, boolean][]> => {
      type Event = { readonly effect: string | null; readonly notified: boolean };
      const { body } = await service.client.json<{ items: Event[] }>('GET /runtime/events');
      return body.items.map(({ effect, notified }) => [effect, notified]);
    };

    await report({});
    assert.deepEqual(await effects(), [['notify', false]]);
    fake.faults.inject({ act: 'create' }, 'reset after effect');
    await service.file();
    assert.equal((await rows())[0]?.issue, null, 'nothing is known of the issue yet');
    time.advance(2 * MINUTE);
    await service.file();
    await service.file();
    const [issue, ...others] = fake.state.issues;
    assert.ok(issue !== undefined && others.length === 0, 'one issue');
    assert.equal(issue.title, `RUNTIME: Terminal shell in container in ${DIGEST}`);
    assert.deepEqual(issue.labels.toSorted(), ['runtime', 'security']);
    assert.match(
      textOf(issue.body),
      /ipo runtime events --image sha256:abab\w+ --rule 'Terminal shell in container'/,
    );
    assert.match(textOf(issue.body), /Events: 1/);
    const kinds = fake.active().map(({ kind }) => kind);
    assert.deepEqual(kinds, ['comment'], 'the mark, and no mention of whatever a namespace is called');
    assert.deepEqual(await effects(), [['issue', true]]);
    const [row] = await rows();
    assert.deepEqual(
      [row?.kind, row?.cve, row?.rule, row?.severity, row?.state, row?.issue?.key],
      [
        'runtime',
        null,
        'Terminal shell in container',
        'Notice',
        'open',
        `${issue.project.path}#${issue.number}`,
      ],
    );
    assert.match(await service.metrics(), /^svc_runtime_alerts_notified_total 1$/m);

    time.advance(7 * DAY);
    await service.sweep();
    assert.match((await rows())[0]?.withheld ?? '', /the detector has sent nothing at all/);
    await report({
      rule: 'Falco internal: metrics snapshot',
      source: 'internal',
      tags: [],
      output_fields: {},
    });
    await service.sweep();
    const [closed] = await rows();
    assert.deepEqual([closed?.state, closed?.reason, closed?.withheld], ['closed', 'quiet', null]);
    assert.equal(closed?.last_event_at, row?.last_event_at);
    assert.deepEqual([issue.state, issue.reason], ['closed', 'not_planned']);
    assert.equal(issue.comments.length, 1);
    assert.match(
      textOf(issue.comments[0]?.body),
      /ended as quiet: no event of the rule came from the image for 7 days/,
    );
    assert.match(await service.metrics(), /^svc_issues_closed_total\{provider="github",reason="quiet"\} 1$/m);
    const summary = await service.client.json<{ opened: number }>('GET /tracking/summary');
    assert.equal(summary.body.opened, 0, 'an alert is not a finding');
    assert.deepEqual(fake.violations, []);
    assert.equal(fake.faults.waiting, 0);
  });
});
