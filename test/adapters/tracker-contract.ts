import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { FAULTS, type Fake, type FaultName, type FakeKind } from '../../fakes/index.ts';
import { TrackerError, type IssueTracker } from '../../src/trackers/index.ts';
import {
  BODY,
  MARKERS,
  openTracker,
  paragraph,
  start,
  targetOf,
  type TrackerOptions,
} from './tracker-parts.ts';

const [MARKER, OTHER] = MARKERS;
const DRAFT = {
  title: 'CVE-2026-1234 in ghcr.io/acme/shop',
  body: BODY,
  labels: ['security'],
  marker: MARKER,
};
const SINCE = Date.UTC(2026, 0, 1);

interface Opened {
  readonly fake: Fake;
  readonly tracker: IssueTracker;
}

async function open(t: TestContext, kind: FakeKind, options: TrackerOptions = {}): Promise<Opened> {
  const fake = await start(t, kind);
  return { fake, tracker: openTracker(fake, options) };
}

function writes(fake: Fake): string[] {
  return fake.requests.filter(({ method }) => method !== 'GET').map(({ act }) => act);
}

/** contractOf is what every tracker has to keep, whoever the provider. */
export function contractOf(kind: FakeKind): void {
  test(`${kind}: an issue is opened by one POST, found again by its marker, and read`, async (t) => {
    const { fake, tracker } = await open(t, kind);
    const ref = await tracker.create(targetOf(fake), DRAFT);
    assert.deepEqual(writes(fake), ['create']);
    const [issue] = fake.state.issues;
    assert.equal(issue?.title.replaceAll('\u200b', ''), DRAFT.title);
    assert.ok(issue.labels.includes('security'));
    assert.match(ref.url, new RegExp(`^${fake.webUrl}/`));
    assert.equal(ref.id, String(issue.id));
    assert.deepEqual(await tracker.find(targetOf(fake), MARKER, SINCE), ref);
    assert.equal(await tracker.find(targetOf(fake), OTHER, SINCE), null);
    const [filed, ...more] = await tracker.filed(targetOf(fake), SINCE);
    assert.deepEqual([filed?.ref, filed?.marker, more.length], [ref, MARKER, 0]);
    assert.ok(filed?.text.replaceAll('\u200b', '').startsWith(DRAFT.title));
    assert.deepEqual(await tracker.read(ref), { state: 'open' });
    assert.deepEqual(fake.violations, []);
  });

  test(`${kind}: nothing in a text is active but the link that is meant and the marker`, async (t) => {
    const { fake, tracker } = await open(t, kind);
    const ref = await tracker.create(targetOf(fake), DRAFT);
    await tracker.comment(ref, { body: BODY, marker: OTHER });
    const active = fake.active().filter(({ kind }) => kind !== 'comment');
    const found = [
      ...new Set(active.map(({ kind, text }) => `${kind} ${text.replace(/^\[the advisory\|(.*)\]$/, '$1')}`)),
    ];
    assert.deepEqual(found, ['link https://example.com/a_%28b%29?x=1']);
  });

  test(`${kind}: an issue of another account is not ours, whatever marker it shows`, async (t) => {
    const { fake, tracker } = await open(t, kind);
    const body = fake.kind.startsWith('jira') ? 'planted' : `planted\n\n<!-- ${MARKER} -->`;
    fake.state.open({ project: targetOf(fake), title: 'x', body, labels: [MARKER], by: 'alice' });
    assert.equal(await tracker.find(targetOf(fake), MARKER, 0), null);
    assert.deepEqual(await tracker.filed(targetOf(fake), 0), []);
    const human = openTracker(fake, { token: 'human' });
    assert.notEqual(await human.find(targetOf(fake), MARKER, 0), null);
  });

  test(`${kind}: comments are recognised by the markers of our own account`, async (t) => {
    const { fake, tracker } = await open(t, kind);
    const ref = await tracker.create(targetOf(fake), DRAFT);
    assert.deepEqual(await tracker.commentMarkers(ref, SINCE), []);
    await tracker.comment(ref, { body: [paragraph('fixed')], marker: OTHER });
    assert.deepEqual(await tracker.commentMarkers(ref, SINCE), [OTHER]);
    assert.match((await tracker.commentTexts(ref)).join('\n'), /^fixed/);
    const [issue] = fake.state.issues;
    assert.ok(issue);
    const ours = issue.comments[0]?.body;
    for (let turn = 0; turn < 130; turn += 1) fake.state.comment(issue, `note ${turn}`, 'alice');
    fake.state.comment(issue, ours, 'alice');
    assert.deepEqual(await tracker.commentMarkers(ref, SINCE), [OTHER]);
    assert.deepEqual(writes(fake), ['create', 'comment']);
    assert.deepEqual(fake.violations, []);
  });

  test(`${kind}: an issue is closed by one write, and then read as closed`, async (t) => {
    const { fake, tracker } = await open(t, kind);
    const ref = await tracker.create(targetOf(fake), DRAFT);
    assert.equal(tracker.closes, true);
    assert.equal(await tracker.close(ref, 'fixed'), 'closed');
    assert.deepEqual(await tracker.read(ref), { state: 'closed' });
    assert.deepEqual(writes(fake), ['create', 'close']);
    assert.deepEqual(fake.violations, []);
  });

  test(`${kind}: the own account is asked once per run, also when the first answer was lost`, async (t) => {
    const { fake, tracker } = await open(t, kind);
    fake.faults.inject({ act: 'self' }, '500 before effect');
    await assert.rejects(tracker.self(), TrackerError);
    const [one, two] = [await tracker.self(), await tracker.self()];
    assert.deepEqual(one, two);
    assert.equal(fake.requests.filter(({ act }) => act === 'self').length, 2);
  });

  test(`${kind}: a test is exactly one read`, async (t) => {
    const { fake, tracker } = await open(t, kind);
    const told = await tracker.test();
    assert.equal(told.works, true, told.sentence);
    assert.deepEqual(
      fake.requests.map(({ act, method }) => `${method} ${act}`),
      ['GET test'],
    );
  });

  for (const token of ['stranger', 'expired'] as const) {
    test(`${kind}: a test with the token of ${token} says what is wrong, by one read`, async (t) => {
      const { fake, tracker } = await open(t, kind, { token });
      const told = await tracker.test();
      assert.equal(told.works, false, told.sentence);
      assert.ok(told.hints.length > 0);
      for (const line of [told.sentence, ...told.hints]) assert.ok(!line.includes(fake.tokens[token].secret));
      assert.equal(fake.requests.length, 1);
    });
  }

  test(`${kind}: a test tells faults of the network and of proxies, and never throws`, async (t) => {
    const { fake, tracker } = await open(t, kind, { line: { timeoutMs: 400 } });
    for (const fault of [
      'reset before effect',
      'timeout before effect',
      '200 with HTML before effect',
      '403 with HTML',
    ] as const) {
      fake.faults.inject({ act: 'test' }, fault);
      const told = await tracker.test();
      assert.equal(told.works, false, fault);
      assert.doesNotMatch(told.sentence, /<|doctype/i);
    }
    await fake.down();
    assert.match((await tracker.test()).sentence, /refuses connections/);
    await fake.up();
  });

  for (const name of Object.keys(FAULTS) as FaultName[]) {
    test(`${kind}: a create that meets "${name}" is sent once and classified`, async (t) => {
      const { fake, tracker } = await open(t, kind, { line: { timeoutMs: 400 } });
      fake.faults.inject({ act: 'create' }, name);
      await assert.rejects(tracker.create(targetOf(fake), DRAFT), (error) => {
        assert.ok(error instanceof TrackerError, String(error));
        assert.equal(error.happened, FAULTS[name].happened, error.message);
        assert.ok(!JSON.stringify(error).includes(fake.tokens.good.secret));
        return true;
      });
      assert.equal(fake.requests.filter(({ act }) => act === 'create').length, 1);
      assert.equal(fake.faults.waiting, 0);
      assert.equal(fake.elsewhere.requests.length, 0);
      const happened = fake.state.issues.length === 1;
      if (happened) assert.equal(FAULTS[name].happened, 'unknown');
    });
  }

  test(`${kind}: a write that the guard holds back is not sent`, async (t) => {
    const { fake } = await open(t, kind);
    const ref = await openTracker(fake).create(targetOf(fake), DRAFT);
    const held = openTracker(fake, { guard: () => false });
    for (const write of [
      async () => held.create(targetOf(fake), DRAFT),
      async () => held.comment(ref, { body: BODY, marker: OTHER }),
      async () => held.close(ref, 'fixed'),
    ])
      await assert.rejects(
        write,
        (error) => error instanceof TrackerError && error.fault === 'stopped' && error.happened === 'no',
      );
    assert.deepEqual(writes(fake), ['create']);
  });

  test(`${kind}: a text beyond the limit is cut with a note, and keeps its marker`, async (t) => {
    const { fake, tracker } = await open(t, kind);
    const rows = Array.from({ length: 20_000 }, (_, at) => [
      [{ kind: 'code', text: `CVE-2026-${at}` } as const],
      [{ kind: 'text', text: 'x'.repeat(60) } as const],
    ]);
    const body = [
      { kind: 'table', header: [[{ kind: 'text', text: 'CVE' }], [{ kind: 'text', text: 'Note' }]], rows },
    ] as const;
    const ref = await tracker.create(targetOf(fake), { ...DRAFT, title: 't'.repeat(400), body });
    await tracker.comment(ref, { body, marker: OTHER });
    const [issue] = fake.state.issues;
    const text = JSON.stringify(issue?.body);
    assert.ok(
      /Cut at the length that the tracker takes: \d+ of 20000 lines are left out/.test(text),
      text.slice(-300),
    );
    assert.deepEqual(await tracker.find(targetOf(fake), MARKER, SINCE), ref);
    assert.deepEqual(await tracker.commentMarkers(ref, SINCE), [OTHER]);
    assert.deepEqual(fake.violations, []);
  });
}
