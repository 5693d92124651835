import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { exportLines, type LedgerRow } from '../../src/ledger/index.ts';
import { open, row, toText } from '../whatif/ledger-text.ts';
import { runs } from '../runs.ts';

/** What a reader must make of a row line: JSON.parse and nothing else. */
interface Read {
  readonly id: number;
  readonly time: string;
  readonly pod: string | null;
  readonly shape: Readonly<Record<string, unknown>>;
}

const SHAPE = [
  'kind',
  'cluster',
  'namespace',
  'container',
  'image',
  'digest',
  'allowed',
  'reason',
  'label',
  'policy',
  'policy_revision',
  'break_glass',
  'signals',
  'exposed_by',
  'pod_level',
  'inputs',
] as const;

function shapeOf(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(SHAPE.map((field) => [field, value[field] ?? (field === 'reason' ? '' : null)]));
}

async function readAll(text: string): Promise<Read[] | string> {
  const rows: Read[] = [];
  try {
    const ledger = await open(text, 333);
    for await (const batch of ledger.rows()) {
      for (let i = 0; i < batch.ids.length; i += 1) {
        rows.push({
          id: batch.ids[i] as number,
          time: batch.times[i] as string,
          pod: batch.pods[i] ?? null,
          shape: shapeOf(batch.shapes[i] as unknown as Record<string, unknown>),
        });
      }
    }
  } catch (error) {
    return (error as { code: string }).code;
  }
  return rows;
}

/** Rows with all that is their own. */
async function readWhole(text: string): Promise<readonly unknown[]> {
  const rows: unknown[] = [];
  const ledger = await open(text, 333, { whole: true });
  for await (const batch of ledger.rows()) rows.push(...batch.shapes);
  return rows;
}

function asRow(value: Readonly<Record<string, unknown>>): unknown {
  return { ...value, reason: value['reason'] ?? '' };
}

function linesOf(text: string): readonly unknown[] {
  const values = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return values.filter(({ type }) => type === 'row').map(asRow);
}

test('rows come out as JSON.parse gives them, whatever the layout of their lines', async () => {
  const texts = fc.oneof(
    fc.constantFrom('web-0', 'a"b', 'back\\slash', 'ünï', '\u0001', '', '","pod":"x', '","id":9,"x":"'),
    fc.string(),
  );
  const one = fc.record({
    pod: fc.oneof(texts, fc.constant(null)),
    namespace: fc.constantFrom('shop', 'pay"ments', 'x\\y'),
    container: fc.constantFrom('app', '"id":7', 'a\nb'),
    reason: fc.constantFrom('', 'known exploited: CVE-1', 'quote " and \\ back'),
    kind: fc.constantFrom('review', 'reconcile', null),
    signals: fc.constantFrom(null, [], ['root'], ['root', 'exposed']),
    review_uid: texts,
    extra: fc.constantFrom(undefined, 'more', { pod: 'no', id: 5 }),
    shuffled: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(one, { minLength: 2, maxLength: 12 }), async (made) => {
      const rows = made.map(({ shuffled, ...fields }, i) => {
        const value = row(1000 - i, fields);
        return shuffled ? Object.fromEntries(Object.entries(value).toReversed()) : value;
      });
      const expected = rows.map((value) => ({
        id: value.id,
        time: value.time,
        pod: value.pod,
        shape: shapeOf(value),
      }));
      const text = toText({ rows: [...rows] });
      assert.deepEqual(await readAll(text), expected);
      assert.deepEqual(await readWhole(text), linesOf(text));
    }),
    { numRuns: runs(300) },
  );
});

test('a byte changed anywhere in a line of a known shape is read as JSON.parse reads it, or refused', async () => {
  const lines = toText({ header: { rows: null }, rows: [row(9), row(8), row(7)] }).split('\n');
  const last = lines[3] ?? '';
  const head = lines.slice(0, 3).join('\n');
  await fc.assert(
    fc.asyncProperty(
      fc.nat(last.length - 1),
      fc.constantFrom(
        '"',
        '\\',
        '\u0000',
        '\t',
        '0',
        'x',
        '}',
        '{',
        ',',
        ':',
        '',
        ' ',
        'ü',
        '"pod":"y",',
        '"id":3,',
      ),
      fc.boolean(),
      async (at, put, insert) => {
        const damaged = last.slice(0, at) + put + last.slice(insert ? at : at + 1);
        const found = await readAll(`${head}\n${damaged}\n`);
        let value: Record<string, unknown> | null = null;
        try {
          value = JSON.parse(damaged) as Record<string, unknown>;
        } catch {
          assert.ok(found === 'damaged' || found === 'truncated', `accepted what is no JSON: ${damaged}`);
          return;
        }
        if (typeof found === 'string') return; // refused for what it says, which the table below holds
        assert.deepEqual((await readWhole(`${head}\n${damaged}\n`))[2], asRow(value));
        const read = found[2];
        assert.ok(read, 'the line was lost');
        assert.deepEqual(read, {
          id: value.id,
          time: value.time,
          pod: value.pod ?? null,
          shape: shapeOf(value),
        });
      },
    ),
    { numRuns: runs(1500) },
  );
});

test('fields that a known line names twice are refused, and those further in are read as JSON reads them', async () => {
  const [header = '', ...lines] = toText({ header: { rows: null }, rows: [row(6), row(5), row(4)] })
    .trimEnd()
    .split('\n');
  for (const tail of [',"time" :"2020-01-01T00:00:00Z"}', ',"pod"\t:"other"}', ',"kind": "reconcile"}']) {
    const twice = lines.with(2, `${lines[2]?.slice(0, -1)}${tail}`);
    assert.equal(await readAll([header, ...twice, ''].join('\n')), 'damaged', tail);
  }
  const tails = [',"x":{"pod":"inner"}}', ',"x":{"id":1}}'];
  for (const tail of tails) {
    const changed = lines.map((line) => `${line.slice(0, -1)}${tail}`);
    const expected = changed.map((line) => JSON.parse(line) as Record<string, unknown>);
    const found = await readAll([header, ...changed, ''].join('\n'));
    assert.deepEqual(
      found,
      expected.map((value) => ({ id: value.id, time: value.time, pod: value.pod, shape: shapeOf(value) })),
      tail,
    );
  }
  const nested = lines.map((line) =>
    line.replace(/"pod":"[^"]*","pod_uid":"[^"]*",/, '"x":{"a":1,"pod":"B","pod_uid":"q","container":"z"},'),
  );
  const found = await readAll([header, ...nested, ''].join('\n'));
  assert.deepEqual(Array.isArray(found) && found.map(({ pod }) => pod), [null, null, null]);
});

test('what the writer writes, the reader reads', async () => {
  const made = [
    row(3),
    row(2, { kind: 'reconcile', signals: null }),
    row(1, { pod_level: true, image: null, digest: null }),
  ];
  const parts: string[] = [];
  const lines = exportLines({
    header: {
      exportedAt: 0,
      cluster: null,
      coldImagePolicy: 'DenyUntilScanned',
      rows: 3,
      images: 0,
      from: null,
      to: null,
    },
    policies: [{ name: 'p', revision: 'r', current: true, document: {} }],
    images: [],
    rows: [made as unknown as LedgerRow[]],
    seal: { note: 'note', tiles: null, edges: null },
  });
  for await (const text of lines) parts.push(text);
  const found = await readAll(parts.join(''));
  assert.deepEqual(Array.isArray(found) && found.map(({ id }) => id), [3, 2, 1]);
  const ledger = await open(parts.join(''));
  assert.deepEqual([ledger.header.coldImagePolicy, ledger.policies.length], ['DenyUntilScanned', 1]);
});
