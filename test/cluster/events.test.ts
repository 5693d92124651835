import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventRecorder, type ClusterEvent, type EventSeries } from '../../src/cluster/index.ts';
import { VirtualProcess, VirtualTime } from './virtual.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

const event = (name: string, note = 'it happened'): ClusterEvent => ({
  ...{
    regarding: { apiVersion: 'v1', kind: 'Pod', name, namespace: 'shop' },
    type: 'Warning',
    reason: 'Unreviewed',
  },
  ...{ action: 'Reconcile', note },
});

function opened(refuse: () => boolean = () => false) {
  const time = new VirtualTime();
  const created: EventSeries[] = [];
  const again: EventSeries[] = [];
  let dropped = 0;
  let ids = 0;
  const recorder = new EventRecorder({
    sink: {
      create: async (series) => {
        if (refuse()) throw new Error('no');
        created.push(series);
      },
      again: async (series) => again.push(series) > 0,
    },
    clock: new VirtualProcess(time),
    log: silent,
    count: { add: () => void (dropped += 1) },
    newId: () => String((ids += 1)),
  });
  return { time, recorder, created, again, dropped: () => dropped };
}

test('equal events within minutes are one, which is counted at most once a minute', async () => {
  const { time, recorder, created, again } = opened();
  for (let i = 0; i < 30; i += 1) {
    recorder.emit(event('a'));
    await time.pass(10_000);
  }
  assert.equal(created.length, 1);
  assert.ok(again.length >= 4 && again.length <= 5, `${again.length} writes`);
  assert.ok((again.at(-1)?.count ?? 0) >= 25);
  await time.pass(400_000);
  recorder.emit(event('a'));
  await time.pass(1_000);
  assert.equal(created.length, 2);
  assert.notEqual(created[0]?.name, created[1]?.name);
});

test('who gives an event hears when it is dropped, at once or later', async () => {
  let refused = true;
  const { time, recorder, created, dropped } = opened(() => refused);
  const lost: string[] = [];
  const emit = (name: string): void => recorder.emit(event(name), () => lost.push(name));
  emit('a');
  await time.pass(1_000);
  // The API server did not take it; within a minute nothing of this series is written again.
  emit('a');
  refused = false;
  await time.pass(1_000);
  assert.deepEqual([lost, created.length, dropped()], [['a', 'a'], 0, 2]);
  await time.pass(60_000);
  emit('a');
  emit('a');
  for (let i = 0; i < 30; i += 1) emit(`pod-${i}`);
  await time.pass(1_000);
  assert.deepEqual([created.length, dropped()], [26, 7]);
  assert.deepEqual(
    lost.slice(2),
    [25, 26, 27, 28, 29].map((n) => `pod-${n}`),
  );
  await recorder.close(1_000);
  emit('late');
  assert.equal(lost.at(-1), 'late');
});

test('a storm of different events is cut to a handful, and the rest is counted as dropped', async () => {
  const { time, recorder, created, dropped } = opened();
  for (let i = 0; i < 5_000; i += 1) recorder.emit(event(`pod-${i}`));
  await time.pass(1_000);
  assert.equal(created.length, 25);
  assert.equal(dropped(), 4_975);
  await time.pass(20_000);
  recorder.emit(event('later'));
  await time.pass(1_000);
  assert.equal(created.length, 26);
});

test('what is to be told in any case is told of 500 objects, each under a name that the API server takes', async () => {
  const { time, recorder, created, dropped } = opened();
  for (let i = 0; i < 500; i += 1) recorder.emit({ ...event(`pod-${i}`), always: true });
  await time.pass(1_000);
  assert.deepEqual([created.length, dropped()], [500, 0]);
  assert.equal('always' in (created[0]?.event ?? {}), false);
  const long = `${'a'.repeat(199)}-${'b'.repeat(40)}`;
  for (const name of [long, 'web-', 'shop.', '../x', 'A b', '']) recorder.emit(event(name));
  await time.pass(1_000);
  const names = created.slice(500).map(({ name }) => name);
  assert.equal(names.length, 6);
  for (const name of names)
    assert.match(name, /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);
});

test('an event that cannot be written fails nobody, and a note is cut to 1024 bytes', async () => {
  let refuses = true;
  const { time, recorder, created, dropped } = opened(() => refuses);
  recorder.emit(event('a', 'ü'.repeat(2_000)));
  await time.pass(1_000);
  assert.equal(dropped(), 1);
  refuses = false;
  await time.pass(61_000);
  recorder.emit(event('a', 'ü'.repeat(2_000)));
  await time.pass(1_000);
  const note = created[0]?.event.note ?? '';
  assert.ok(Buffer.byteLength(note) <= 1_024 && note.endsWith('…') && !note.includes('\uFFFD'));
  await recorder.close(1_000);
  recorder.emit(event('b'));
  await time.pass(1_000);
  assert.equal(created.length, 1);
});
