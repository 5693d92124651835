import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { toText } from '../../bin/doctor/view.ts';
import { imageCell, openPaint } from '../../bin/terminal/paint.ts';
import { renderRows } from '../../bin/ledger/list-view.ts';
import { matrixPage } from '../../bin/whatif/matrix/page.ts';
import { trackingColumns } from '../../bin/tracking/view.ts';
import { tableLines } from '../../bin/terminal/answer.ts';
import type { TrackingBody } from '../../src/api/contract/tracking.ts';
import type { Terminal } from '../../bin/terminal/terminal.ts';
import type { DoctorReport } from '../../src/doctor/index.ts';
import type { Matrix, MatrixLine } from '../../src/advice/index.ts';
import type { LedgerRow } from '../../src/ledger/index.ts';
import { ipo } from './fake-terminal.ts';

const IMAGE = 'registry.example.com/payments/settlement:1.9.4';
const COLUMNS = [
  { heading: 'workload', flex: 2 },
  { heading: 'image', flex: 3 },
  { heading: 'namespaces', flex: 3, cutsEnd: true },
];
const row = [{ text: 'payments/settlement-worker' }, imageCell(IMAGE), { text: 'checkout, payments' }];

test('an image name gives up the first parts of its path before another name is cut', async () => {
  const lines = async (columns: number) =>
    (await openPaint({ color: false, columns })).table(COLUMNS, [row], 0)[1];
  assert.equal(
    await lines(100),
    'payments/settlement-worker  registry.example.com/payments/settlement:1.9.4  checkout, payments',
  );
  assert.equal(
    await lines(80),
    'payments/settlement-worker  …/payments/settlement:1.9.4       checkout, payments',
  );
  assert.equal(await lines(66), 'payments/settlement-worker  …/settlement:1.9.4  checkout, payments');
});

test('a list is cut at its end', async () => {
  const paint = await openPaint({ color: false, columns: 40 });
  const list = [{ text: 'a-policy-with-a-name' }, { text: 'catalog, search, storefront' }];
  const columns = [
    { heading: 'policy', flex: 8 },
    { heading: 'namespaces', flex: 3, cutsEnd: true },
  ];
  assert.equal(paint.table(columns, [list], 0)[1], 'a-policy-with-a-name  catalog, search,…');
});

test('a reason of the ledger stands below its row on a narrow terminal, and beside it on a wide one', async () => {
  const rows = [
    { id: 12, time: '2026-11-20T06:00:00Z', namespace: 'shop', pod: 'web-1', image: IMAGE, allowed: false },
    { id: 11, time: '2026-11-20T05:00:00Z', namespace: 'shop', pod: 'web-0', image: IMAGE, allowed: true },
  ].map(
    (one) => ({ ...one, reason: one.allowed ? '' : 'digest required: settlement' }) as unknown as LedgerRow,
  );
  const drawn = (columns: number, whole = false) => renderRows(rows, { color: false, columns, whole });
  const below = (await drawn(80)).split('\n');
  assert.deepEqual(below.slice(0, 4), [
    'row  time (UTC)           namespace / pod  image',
    ' 12  2026-11-20 06:00  ✗  shop/web-1       …/payments/settlement:1.9.4',
    '     digest required: settlement',
    ' 11  2026-11-20 05:00  ✓  shop/web-0       …/payments/settlement:1.9.4',
  ]);
  for (const beside of [await drawn(160), await drawn(80, true)])
    assert.match(
      beside,
      /image +why\n.*registry\.example\.com\/payments\/settlement:1\.9\.4 {2}digest required/,
    );
});

test('ipo check cuts a name only where the terminal is narrower, and never for another program', async () => {
  const name = `registry.example.com/payments/settlement@sha256:${'a'.repeat(64)}`;
  const policy = join(import.meta.dirname, '../../policies/baseline.yaml');
  const args = ['--no-color', 'check', '-p', policy, '--offline', name];
  const line = async (tty: boolean) => (await ipo(args, { tty })).out.split('\n')[1] ?? '';
  assert.equal(await line(false), `  ✓ ${name}  no scan record`);
  const shown = await line(true);
  assert.match(shown, /^ {2}✓ registry\.example\.com\/payments\/settlement@sha256:a{12}… +no scan record$/);
  assert.ok(shown.length <= 100);
});

test('a check of ipo doctor takes as many lines as the terminal needs, and one for another program', () => {
  const message = `http://127.0.0.1:8080 answers: ${'release 1.0.0 '.repeat(3)}`.trim();
  const report = {
    checks: [{ id: 'service.answers', state: 'ok', message, hint: null }],
    counts: { ok: 1, warn: 0, fail: 0 },
  } as unknown as DoctorReport;
  const lines = (out: boolean) =>
    toText(report, true, { columns: 60, tty: { in: out, out, err: out } } as Terminal).split('\n');
  assert.equal(lines(false)[0], `✓ service.answers: ${message}`);
  const [head = '', below = ''] = lines(true);
  assert.ok(head.length <= 60 && below.startsWith('    ') && below.length <= 60);
  assert.equal(`${head} ${below.trim()}`, `✓ service.answers: ${message}`);
});

test('names of images in a list give up their registry before their last part', async () => {
  const row = {
    ...{ id: 1, kind: 'cve', cve: 'CVE-2026-0001', rule: null, state: 'open', last_error: null },
    ...{ image: `registry.example.com/a-team/payments/settlement@sha256:${'a'.repeat(64)}`, digest: '' },
    ...{ issue: { key: 'acme/shop#12' }, channel_id: 'c', closed_via: null, reason: null, returned_at: null },
    opened_at: '2026-11-20T06:00:00Z',
  } as unknown as TrackingBody;
  const paint = await openPaint({ color: false, columns: 80 });
  const columns = trackingColumns([row], new Map([['c', 'hub']]), true);
  const [, line = ''] = tableLines(paint, columns, [row]);
  assert.match(line, /^1 {3}open +CVE-2026-0001 {2}….*\/settlement@a{7} +acme\/shop#12 {2}2026-11-20$/);
});

test('the page of the matrix has no chart for a field whose values change nothing', () => {
  const none = { rows: 0, workloads: 0, images: 0 };
  const line = (field: string, value: string, rows: number, current = false): MatrixLine =>
    ({
      field,
      value,
      current,
      would_deny: { rows, workloads: rows, images: rows },
      would_allow: none,
      undecided: none,
    }) as unknown as MatrixLine;
  const page = matrixPage({
    ...{ rows: 9, workloads: 1, images: 1, notes: [], days: 1, as_of: '2026-11-20T06:00:00Z', base: null },
    items: [
      line('spec.denyLatestTag', 'true', 0),
      line('spec.denyLatestTag', 'false', 0, true),
      line('spec.knownExploited', 'block', 1),
    ],
  } as unknown as Matrix);
  assert.match(page, /<li><code>spec\.denyLatestTag<\/code>: true<\/li>/);
  assert.equal(/<h2><code>spec\.denyLatestTag/.test(page), false);
  assert.match(page, /<h2><code>spec\.knownExploited[\s\S]*1 image</);
});
