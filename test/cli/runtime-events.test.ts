import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { imageDetailViews } from '../../bin/images/view.ts';
import { openPaint } from '../../bin/terminal/paint.ts';
import type { ImageDetailBody } from '../../src/api/contract/images.ts';
import type { EventBody } from '../../src/api/contract/runtime.ts';
import { runtimeEventRoutes } from '../../src/api/index.ts';
import { findNoise, openMatcher, parseEvent, readEventLines, runtimeRule } from '../../src/runtime/index.ts';
import { openStore, runtimeEvents, runtimeIntake } from '../../src/store/index.ts';
import { startApi } from '../api/service.ts';
import { scratchDirectory } from '../app/running.ts';
import { digestOf } from '../store/image-records.ts';
import { ipo } from './fake-terminal.ts';
import { startCli } from './inventory.ts';

const NOW = Date.now() - 60_000;
const DIGEST = `sha256:${'a'.repeat(64)}`;

const lineOf = (
  n: number,
  more: Record<string, unknown> = {},
  fields: Record<string, unknown> = {},
): string =>
  JSON.stringify({
    ...{ rule: 'Read sensitive file', priority: 'Warning', hostname: 'node', output: `event ${n}` },
    time: new Date(NOW + n).toISOString(),
    output_fields: {
      ...{ 'k8s.ns.name': 'shop', 'k8s.pod.name': 'web-1', 'container.image.repository': 'acme/web' },
      ...{ 'proc.name': 'nginx', 'evt.num': n, ...fields },
    },
    ...more,
  });

async function serve(t: TestContext) {
  const directory = scratchDirectory(t);
  const store = await openStore({ url: `sqlite:${join(directory, 'ipo.db')}` });
  t.after(() => store.close());
  const addAt = async (receivedAt: number, ...lines: readonly string[]): Promise<void> => {
    const events = lines.map((line) => {
      const event = parseEvent(line, NOW);
      if ('fault' in event) throw new Error(event.fault);
      return { event, receivedAt };
    });
    await runtimeIntake(store).append('eu', events);
  };
  const add = (...lines: readonly string[]): Promise<void> => addAt(NOW, ...lines);
  const { url } = await startApi(t, runtimeEventRoutes({ events: runtimeEvents(store), clock: Date }));
  const run = (...args: readonly string[]) =>
    ipo(['runtime', ...args], {
      env: { IPO_SERVER: url, IPO_TOKEN: 'viewer-token', XDG_CONFIG_HOME: directory },
    });
  const decide = (set: string, where: string): Promise<unknown> =>
    store.write((transaction) =>
      sql.raw(`update runtime_events set ${set} where ${where}`).execute(transaction),
    );
  return { run, add, addAt, decide, directory };
}

test('events are listed newest first with what came of them, filtered, and inert', async (t) => {
  const { run, add, decide } = await serve(t);
  await add(
    ...Array.from({ length: 60 }, (_, n) => lineOf(n)),
    lineOf(100, { rule: '\u001b[2JShell|<b>', priority: 'Critical' }),
  );
  await decide("effect = 'record', namespace = 'shop', workload = 'deployment/web'", 'id < 61');
  await decide(
    `effect = 'stop', policy = 'stop-shells', policy_effect = 'stop', namespace = 'shop', digest = '${DIGEST}'`,
    'id = 61',
  );
  const { code, out } = await run('events');
  assert.equal(code, 0);
  const lines = out.trimEnd().split('\n');
  assert.match(lines[1] ?? '', /Critical +.*Shell.* stop +policy:stop-shells/);
  assert.match(lines.at(-1) ?? '', /61 events; 11 not shown/);
  assert.ok(!out.includes('\u001b[2J'));
  const count = async (...flags: readonly string[]): Promise<number> =>
    JSON.parse((await run('events', ...flags, '-o', 'json')).out).total;
  assert.deepEqual(
    [
      await count('--effect', 'STOP'),
      await count('--rule', 'Read sensitive file'),
      await count('--priority', 'error'),
      await count('--image', DIGEST),
      await count('--namespace', 'none'),
      await count('--since', '1h'),
      await count('--since', new Date(NOW + 50).toISOString()),
    ],
    [1, 60, 1, 1, 0, 61, 11],
  );
  assert.equal((await run('events', '--since', 'soon')).code, 2);
  assert.equal((await run('events', '--effect', 'explode')).code, 2);
  const markdown = await run('events', '-o', 'markdown');
  assert.match(markdown.out, /`[^`]*Shell\\u007c<b>`/, 'in a code span, its bar escaped');
});

test('events are followed from the next one on, or from a time, one a line', async (t) => {
  const { run, add } = await serve(t);
  await add(lineOf(1), lineOf(2));
  const past = await run('events', '-f', '--since', '1h', '--limit', '2', '-o', 'json');
  assert.deepEqual(
    past.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).output),
    ['event 1', 'event 2'],
  );
  const following = run('events', '-f', '--limit', '1');
  await sleep(400);
  await add(lineOf(3));
  const { code, out } = await following;
  assert.equal(code, 0);
  assert.match(out, /^\S+Z Warning .* Read sensitive file: event 3\n$/);
  assert.equal((await run('events', '-f', '-o', 'markdown')).code, 2);
});

test('an event that is followed is shown once it is decided', async (t) => {
  const { run, add, addAt, decide } = await serve(t);
  await add(lineOf(1));
  const following = run('events', '-f', '--limit', '2');
  await sleep(400);
  await addAt(Date.now(), lineOf(2), lineOf(3));
  await sleep(1300);
  await decide("decided_at = 1, effect = 'record'", 'id = 3');
  await sleep(1300);
  await decide("decided_at = 1, effect = 'notify'", 'id = 2');
  const { out } = await following;
  assert.match(out, /^\S+Z Warning notify .*: event 2\n\S+Z Warning record .*: event 3\n$/);
});

test('the loudest pairs of rule and workload come with the rule that silences them and what else it would', async (t) => {
  const { run, add, directory } = await serve(t);
  const lines = [
    ...Array.from({ length: 8 }, (_, n) => lineOf(n)),
    ...Array.from({ length: 3 }, (_, n) => lineOf(50 + n, {}, { 'k8s.pod.name': 'web-2' })),
    ...Array.from({ length: 2 }, (_, n) => lineOf(80 + n, {}, { 'proc.name': 'sh' })),
    lineOf(90, { rule: 'Shell' }, { 'k8s.ns.name': 'pay', 'container.image.repository': null }),
    lineOf(95, { rule: 'Test rule' }),
  ];
  const file = join(directory, 'falco.jsonl');
  writeFileSync(file, lines.join('\n'));
  const { code, out } = await run('top', '--events', file, '-o', 'json');
  assert.equal(code, 0);
  const report = JSON.parse(out);
  assert.equal(report.events, 14, 'a test of the connection is no noise');
  const [first, second] = report.items;
  assert.deepEqual(
    [first.rule, first.namespace, first.events, first.also.events],
    ['Read sensitive file', 'shop', 13, 0],
  );
  assert.deepEqual(
    first.allow.match.fields,
    [{ name: 'container.image.repository', equals: 'acme/web' }],
    'what differs between its events is not named',
  );
  // The rule silences just what it says, by the matcher that decides.
  for (const item of report.items) {
    const matches = openMatcher(runtimeRule.parse(item.allow).match);
    const silenced = readEventLines(lines.join('\n')).events.filter(({ subject }) => matches(subject)).length;
    assert.equal(silenced, item.events + item.also.events);
  }
  assert.deepEqual([second.rule, second.namespace], ['Shell', 'pay']);
  const table = await run('top', '--events', file);
  assert.match(table.out, /1\. Read sensitive file in shop\/acme\/web: 13 events \(93 %\), 0 alerts/);
  assert.match(table.out, /action: allow/);
  await add(...lines);
  const stored = JSON.parse((await run('top', '--since', '1h', '-o', 'json')).out);
  assert.equal(stored.events, 14);
  const newest = await run('top', '--newest', '3', '-o', 'json');
  assert.match(newest.err, /the newest 3 of 15 events/);
  assert.equal((await run('top', '--events', file, '--since', '1h')).code, 2);
});

test('what an allow rule would silence beside its workload is named, the most first', () => {
  const from = (pod: string, count: number, start: number): readonly string[] =>
    Array.from({ length: count }, (_, n) =>
      lineOf(start + n, {}, { 'k8s.pod.name': pod, 'container.image.repository': null }),
    );
  const lines = [...from('web-1', 5, 0), ...from('job-1', 2, 100), ...from('api-1', 3, 200)];
  const { events } = readEventLines([...lines, lineOf(300, {}, { 'proc.name': 'sh' })].join('\n'));
  const [first] = findNoise(events, 1).items;
  assert.deepEqual(first?.allow.match.fields, [{ name: 'proc.name', equals: 'nginx' }]);
  assert.deepEqual(first?.also, {
    ...{ events: 5, alerts: 0 },
    workloads: [
      { namespace: 'shop', workload: 'api-1', events: 3 },
      { namespace: 'shop', workload: 'job-1', events: 2 },
    ],
  });
});

test('only a stop shows as its policy; else the rule that decided shows, and what came of the policy', async (t) => {
  const { run, add, decide } = await serve(t);
  const effects = ['stop', 'would_stop', 'withheld', 'gone', 'pending', null];
  await add(...effects.map((_, n) => lineOf(n)));
  for (const [n, effect] of effects.entries()) {
    const acted = effect === null ? '' : `, policy = 'stop-shells', policy_effect = '${effect}'`;
    const came = effect === 'stop' ? 'stop' : 'notify';
    await decide(`effect = '${came}', matched_rule = 'shells'${acted}`, `id = ${n + 1}`);
  }
  const { items } = JSON.parse((await run('events', '-o', 'json')).out) as { items: EventBody[] };
  assert.deepEqual(
    items
      .toReversed()
      .map(({ matched, effect, policy, policy_effect: did }) => [matched, effect, policy, did]),
    effects.map((effect) => [
      effect === 'stop' ? 'policy:stop-shells' : 'shells',
      effect === 'stop' ? 'stop' : 'notify',
      effect === null ? null : 'stop-shells',
      effect,
    ]),
  );
  const { out } = await run('events', '-o', 'markdown');
  for (const line of [
    /`stop` \| `policy:stop-shells`/,
    /`notify \(would_stop by stop-shells\)` \| `shells`/,
    /`notify \(withheld by stop-shells\)` \| `shells`/,
    /`notify` \| `shells`/,
  ])
    assert.match(out, line);
});

test('an image shows what its containers did', async (t) => {
  const { api } = await startCli(t);
  const { body } = await api
    .as('viewer')
    .json<ImageDetailBody>('GET /images/{digest}', { params: { digest: digestOf(0xb2) } });
  const event = {
    ...{ id: 1, kind: 'event', at: '2026-11-26T06:00:00Z', rule: 'Shell', priority: 'Critical' },
    ...{ effect: 'notify', namespace: 'shop', workload: 'deployment/web', pod: 'web-1', matched: 'shells' },
  } as never;
  const paint = await openPaint({ color: false, columns: 120, whole: true });
  const views = imageDetailViews(body, { items: [event], total: 7 });
  const table = views.table(paint).join('\n');
  assert.match(
    table,
    /7 runtime events, newest first\n.*\n.*Critical +Shell +shop +deployment\/web +notify +shells/,
  );
  assert.match(views.markdown().join('\n'), /7 runtime events/);
  assert.doesNotMatch(imageDetailViews(body).table(paint).join('\n'), /runtime event/);
});
