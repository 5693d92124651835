import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { runtimeEventRoutes } from '../../src/api/index.ts';
import { formatTime } from '../../src/base/index.ts';
import { findNoise, parseEvent, type RecordedEvent } from '../../src/runtime/index.ts';
import {
  openStore,
  runtimeEvents,
  runtimeHistory,
  runtimeIntake,
  type Store,
} from '../../src/store/index.ts';
import { startApi } from '../api/service.ts';
import { scratchDirectory } from '../app/running.ts';
import { ipo } from './fake-terminal.ts';

const NOW = Date.now() - 60_000;
const FIELDS = new Set(['container.image.repository', 'proc.name']);

async function serve(t: TestContext) {
  const directory = scratchDirectory(t);
  const store = await openStore({ url: `sqlite:${join(directory, 'ipo.db')}` });
  t.after(() => store.close());
  const { url } = await startApi(t, runtimeEventRoutes({ events: runtimeEvents(store), clock: Date }));
  const top = (...args: readonly string[]) =>
    ipo(['runtime', 'top', ...args], {
      env: { IPO_SERVER: url, IPO_TOKEN: 'viewer-token', XDG_CONFIG_HOME: directory },
    });
  return { store, top };
}

async function add(store: Store, count: number, rule: string, set: string): Promise<void> {
  const from = NOW + (await runtimeEvents(store).list(ANY, { limit: 1, offset: 0 })).total * 1000;
  const events = Array.from({ length: count }, (_, n) => {
    const event = parseEvent(
      JSON.stringify({
        ...{ rule, priority: 'Warning', hostname: 'node', time: new Date(from + n).toISOString() },
        output_fields: { 'container.image.repository': 'acme/web', 'proc.name': 'sh', n },
      }),
      null,
    );
    assert.ok(!('fault' in event));
    return { event, receivedAt: NOW };
  });
  await runtimeIntake(store).append('eu', events);
  await store.write((transaction) =>
    sql
      .raw(
        `update runtime_events set decided_at = 1, namespace = 'shop', workload = 'deployment/web', pod = 'web-1', pod_uid = 'u1',
          image = 'acme/web:1', digest = 'sha256:${'a'.repeat(64)}', ${set} where decided_at is null`,
      )
      .execute(transaction),
  );
}

const ANY = {
  ...{ effect: null, rule: null, priority: null, image: null, namespace: null, since: null, after: null },
};
const STOPPED = "effect = 'stop', policy = 'stop', policy_effect = 'stop'";

test('what makes the noise is the same over the API as of the database, with the rules that decide now', async (t) => {
  const { store, top } = await serve(t);
  await add(store, 4, 'Shell', "matched_rule = 'shells', effect = 'notify', alerted = 1");
  await add(store, 3, 'Shell', `matched_rule = 'shells', ${STOPPED}`);
  await add(store, 2, 'Shell', `matched_rule = 'all', ${STOPPED}, alerted = 1`);
  await add(store, 1, 'Shell', STOPPED);
  // As loud as each other: one order over both ways.
  await add(store, 2, 'Write', "effect = 'record'");
  await add(store, 2, 'Read', "effect = 'record'");

  const { code, out, err } = await top('--since', '1h', '-o', 'json');
  assert.equal(code, 0, err);
  const body = JSON.parse(out);
  const events: RecordedEvent[] = [];
  for await (const page of runtimeHistory(store).recorded('eu', 0, FIELDS)) events.push(...page);
  const local = findNoise(events, 5);
  assert.deepEqual(
    body.items,
    JSON.parse(
      JSON.stringify(
        local.items.map(({ last, decidedBy, ...noise }) => ({
          ...noise,
          decided_by: decidedBy,
          last: formatTime(last),
        })),
      ),
    ),
  );
  assert.deepEqual(
    body.items.map(({ rule }: { rule: string }) => rule),
    ['Shell', 'Read', 'Write'],
  );
  assert.deepEqual(body.items[0].decided_by, [
    { rule: 'shells', events: 7 },
    { rule: 'all', events: 2 },
  ]);
  assert.deepEqual(body.items[1].decided_by, []);
  const table = await top('--since', '1h');
  assert.match(table.out, /This rule would silence it, before shells \(7 events\), all \(2 events\):/);
  assert.match(table.out, /This rule would silence it:/);
});

test('events that a rule allows already are left out, and their number is given', async (t) => {
  const { store, top } = await serve(t);
  await add(store, 5, 'Shell', "matched_rule = 'web may', effect = 'allow'");
  await add(store, 2, 'Shell', "matched_rule = 'shells', effect = 'notify'");
  await add(store, 3, 'Read', "matched_rule = 'web may', effect = 'allow'");
  const body = JSON.parse((await top('--since', '1h', '-o', 'json')).out);
  assert.deepEqual([body.events, body.allowed, body.total], [2, 8, 1]);
  const [{ rule, events, share, also }] = body.items;
  assert.deepEqual([rule, events, share, also.events], ['Shell', 2, 1, 0]);
  const table = await top('--since', '1h');
  assert.match(table.out, /^2 events in 1 group \(rule and workload\)\. Rules allow 8 more events\.\n/);
});
