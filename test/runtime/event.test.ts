import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  fieldReader,
  joinEvent,
  parseEvent,
  parseLossless,
  PodIndex,
  toFields,
  type DetectorEvent,
  type KnownPod,
} from '../../src/runtime/index.ts';
import { runs } from '../runs.ts';
import { noRealEvents, realLines } from './real-events.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const OTHER = `sha256:${'b'.repeat(64)}`;
const TIME = '2026-10-07T14:02:11.000000123Z';
const AT = Date.parse('2026-10-07T14:02:11Z');

function event(more: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ rule: 'Shell', priority: 'Notice', time: TIME, ...more });
}

function read(text: string, at: number | null = null): DetectorEvent {
  const found = parseEvent(text, at);
  if ('fault' in found) throw new Error(found.fault);
  return found;
}

test('every real event is read, with its numbers as they are written', { skip: noRealEvents }, () => {
  const events = realLines().map((line) => read(line));
  const written = events.map(({ fields }) => fields.get('proc.exe_ino.ctime_duration_proc_start'));
  assert.ok(written.includes('18446744073670260079'));
  for (const { fieldsText, fields } of events) {
    const number = fields.get('evt.time');
    if (number !== undefined) assert.ok(fieldsText.includes(`"evt.time":${number}`), fieldsText);
  }
  assert.deepEqual(
    events.filter(({ kind }) => kind !== 'event').map(({ kind, rule }) => `${kind} ${rule}`),
    [
      'test Test rule',
      'heartbeat Falco internal: metrics snapshot',
      'heartbeat Falco internal: syscall event drop',
    ],
  );
});

test('the same event twice has one key, whatever the order of its fields; another time or field has another', () => {
  const keyOf = (fields: unknown, more = {}) =>
    read(event({ output_fields: fields, hostname: 'n', ...more })).key;
  assert.equal(keyOf({ a: 1, b: 'x' }), keyOf({ b: 'x', a: 1 }, { uuid: 'fresh', tags: ['t'] }));
  assert.notEqual(keyOf({ a: 1 }), keyOf({ a: 2 }));
  assert.notEqual(keyOf({ a: 1 }), keyOf({ a: 1 }, { time: TIME.replace('123Z', '124Z') }));
});

test('a time is compared to the nanosecond, however it is written: the relay drops zeros behind it', () => {
  const keyOf = (time: string) => read(event({ time, hostname: 'n' })).key;
  const falco = keyOf('2026-10-07T14:02:11.120000000Z');
  for (const time of ['11.12Z', '11.120Z', '11.12+00:00', '11.1200000000Z'])
    assert.equal(keyOf(`2026-10-07T14:02:${time}`), falco, time);
  assert.equal(keyOf('2026-10-07T16:32:11.12+02:30'), falco);
  assert.equal(keyOf('2026-10-07T14:02:11Z'), keyOf('2026-10-07T14:02:11.000000000Z'));
  for (const time of ['11.120000001Z', '12.12Z', '11.12-00:01'])
    assert.notEqual(keyOf(`2026-10-07T14:02:${time}`), falco, time);
});

test('keys are in the order of their times by milliseconds, wherever those are from', () => {
  const times = [
    '0001-01-01T00:00:00Z',
    '2026-10-07T16:32:11.12+02:30',
    '2026-10-07T14:02:11.121Z',
    '9999-12-31T23:59:59Z',
  ];
  const keys = times.map((time) => read(event({ time })).key);
  assert.deepEqual(keys.toSorted(), keys);
  for (const key of keys) assert.match(key, /^[0-9a-f]{12}[\w-]{43}$/);
});

test('an invalid event is refused with the reason', () => {
  const refused = (text: string): string => {
    const found = parseEvent(text, AT);
    return 'fault' in found ? found.fault : '';
  };
  assert.match(refused('{'), /not JSON/);
  assert.match(refused('[]'), /not a JSON object/);
  assert.match(refused(`${'['.repeat(5000)}${']'.repeat(5000)}`), /nested deeper/);
  assert.match(refused('null'), /not a JSON object/);
  assert.match(refused('1e400'), /not a JSON object/);
  for (const [more, why] of [
    [{ rule: 7 }, /"rule"/],
    [{ rule: '' }, /"rule"/],
    [{ priority: 'Grave' }, /"priority"/],
    [{ time: 'yesterday' }, /"time"/],
    [{ output_fields: [1] }, /"output_fields"/],
    [{ tags: 'shell' }, /"tags"/],
    [{ hostname: {} }, /"hostname"/],
  ] as const)
    assert.match(refused(event(more)), why);
});

test('hostile fields are kept as texts', () => {
  const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`f${i}`, i]));
  assert.equal(read(event({ output_fields: many })).fields.size, 10_000);
  const { fields } = read(
    '{"rule":"r","priority":"INFO","time":"2026-10-07T14:02:11Z","output_fields":{"__proto__":"x","a":"\\u0000\\u001b[2J","n":1.50,"l":[1,{"b":null}]}}',
  );
  assert.deepEqual(
    [...fields],
    [
      ['__proto__', 'x'],
      ['a', '\0\u001b[2J'],
      ['n', '1.50'],
      ['l', '[1,{"b":null}]'],
    ],
  );
});

test('the fields that a rule names are read as all of them are', () => {
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom('<NA>', '', 'a"},{"b":1', '\\', '\\"'),
    fc.constantFrom('18446744073670260079', '-0', '0.0', '1.0e5', '-1').map((text) => parseLossless(text)),
  );
  const name = fc.oneof(fc.constantFrom('proc.name', 'a', 'b', '', '"', '__proto__'), fc.string());
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value)), fc.uniqueArray(name), (pairs, names) => {
      const given = Object.fromEntries(pairs);
      const text = JSON.stringify(given);
      // V8 13.6 reads the name "\"" as a backslash where an earlier object had that name: what is compared with must be right.
      fc.pre(Object.keys(JSON.parse(text) as object).join() === Object.keys(given).join());
      const all = toFields(parseLossless(text) as Readonly<Record<string, unknown>>);
      const expected = names.filter((one) => all.has(one)).map((one) => [one, all.get(one)]);
      const found = fieldReader(new Set(names))(text);
      assert.deepEqual(found, new Map(expected as [string, string | null][]), text);
    }),
    { numRuns: runs(300) },
  );
});

test('a time that is far from the receipt does not count', () => {
  const at = (time: string) => read(event({ time }), AT).at;
  assert.equal(at('2026-10-07T14:02:10.5Z'), AT - 500);
  assert.equal(at('2026-10-07T14:08:00Z'), AT);
  assert.equal(at('1970-01-01T00:00:00Z'), AT);
  assert.equal(at('2026-10-06T15:00:00Z'), Date.parse('2026-10-06T15:00:00Z'));
});

test('strings that the relay cut are marked', () => {
  const cut = `${'x'.repeat(507)}[...]`;
  assert.equal(read(event({ uuid: 'u', output_fields: { a: cut } })).truncated, true);
  assert.equal(read(event({ output_fields: { a: cut } })).truncated, false);
});

const POD: KnownPod = {
  ...{ namespace: 'shop', name: 'web-1', uid: 'uid-1', workload: 'deployment/web' },
  containers: [
    { name: 'web', image: 'web:1', digest: DIGEST, id: 'abcdef012345ffff' },
    { name: 'side', image: 'side:1', digest: OTHER, id: null },
  ],
};

test('an event is joined by uid, else by name, else by container, and its digest counts where it runs', () => {
  const pods = new PodIndex();
  pods.take([POD], AT);
  const join = (fields: Readonly<Record<string, unknown>>) => {
    const { basis, digest, podUid, container } = joinEvent(read(event({ output_fields: fields })), pods);
    return [basis, digest, podUid, container];
  };
  const uid = { 'k8s.pod.uid': 'uid-1' };
  assert.deepEqual(join({ ...uid, 'container.image.digest': DIGEST }), ['field', DIGEST, 'uid-1', 'web']);
  assert.deepEqual(join({ ...uid, 'container.name': 'side' }), ['pod', OTHER, 'uid-1', 'side']);
  assert.deepEqual(join({ ...uid, 'container.name': 'k8s_side_web-1_shop' }), [
    'pod',
    OTHER,
    'uid-1',
    'side',
  ]);
  // Of two images nothing says which one.
  assert.deepEqual(join(uid), ['none', null, 'uid-1', null]);
  // The id of an image in the place of a digest.
  const id = `sha256:${'c'.repeat(64)}`;
  assert.deepEqual(join({ ...uid, 'container.name': 'web', 'container.image.digest': id }), [
    'pod',
    DIGEST,
    'uid-1',
    'web',
  ]);
  assert.deepEqual(join({ 'k8s.ns.name': 'shop', 'k8s.pod.name': 'web-1', 'container.name': 'web' }), [
    'pod',
    DIGEST,
    'uid-1',
    'web',
  ]);
  assert.deepEqual(join({ 'container.id': 'abcdef012345' }), ['pod', DIGEST, 'uid-1', 'web']);
  assert.deepEqual(join({ 'container.image.digest': OTHER }), ['field', OTHER, null, null]);
  // Another pod has the name by now.
  assert.deepEqual(join({ 'k8s.pod.uid': 'uid-0', 'k8s.ns.name': 'shop', 'k8s.pod.name': 'web-1' }), [
    'none',
    null,
    null,
    null,
  ]);
  assert.deepEqual(join({ 'container.id': 'host', 'k8s.pod.name': '<NA>' }), ['none', null, null, null]);
});

test('a pod that is gone is found for ten minutes, its successor by name', () => {
  const pods = new PodIndex();
  pods.take([POD], AT);
  pods.take([{ ...POD, uid: 'uid-2' }], AT + 60_000);
  assert.equal(pods.byUid('uid-1')?.uid, 'uid-1');
  assert.equal(pods.byName('shop', 'web-1')?.uid, 'uid-2');
  pods.take([], AT + 20 * 60_000);
  assert.equal(pods.byUid('uid-1'), null);
});

test('of two pods that had one name the one is meant that had the container of the event', () => {
  const pods = new PodIndex();
  const idOf = (id: string) => POD.containers.map((one, n) => ({ ...one, id: n === 0 ? id : one.id }));
  pods.take([{ ...POD, containers: idOf('0123456789abffff') }], AT);
  const next = idOf('fedcba987654ffff').map((one) => ({ ...one, digest: OTHER, image: 'web:2' }));
  const other = { ...POD, name: 'api-1', uid: 'uid-3', containers: idOf('111111111111ffff') };
  pods.take([{ ...POD, uid: 'uid-2', containers: next }, other], AT + 5000);
  const join = (fields: Readonly<Record<string, unknown>>) => {
    const named = { 'k8s.ns.name': 'shop', 'k8s.pod.name': 'web-1', 'container.name': 'web', ...fields };
    const { digest, podUid, image } = joinEvent(read(event({ output_fields: named })), pods);
    return [digest, podUid, image];
  };
  const before = [DIGEST, 'uid-1', 'web:1'];
  const now = [OTHER, 'uid-2', 'web:2'];
  assert.deepEqual(join({ 'container.id': '0123456789ab' }), before);
  assert.deepEqual(join({ 'container.id': 'fedcba987654' }), now);
  // One that is not known, as after a restart of the container.
  assert.deepEqual(join({ 'container.id': 'aaaaaaaaaaaa' }), now);
  assert.deepEqual(join({}), now);
  // The name counts before a container of a pod of another name, and that where no pod has the name.
  assert.deepEqual(join({ 'container.id': '111111111111' }), now);
  assert.deepEqual(join({ 'k8s.pod.name': 'web-2', 'container.id': '0123456789ab' }), before);
});
