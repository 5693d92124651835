import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NewRow } from '../../src/ledger/index.ts';
import { ledgerReader } from '../../src/store/ledger/rows.ts';
import { ledgerWriter } from '../../src/store/ledger/append.ts';
import { SPAN_ROWS } from '../../src/store/ledger/spans.ts';
import { AT, newRow, numbers } from '../ledger/parts.ts';
import { forEachEngine } from './engines.ts';
import { longestTurn, watchReads } from './watched.ts';

forEachEngine('reading rows', (engine) => {
  test('a period is found by its rows, wherever a clock was set back', async (t) => {
    const store = await engine.open(t);
    const writer = ledgerWriter(store);
    const times = Array.from(
      { length: 2 * SPAN_ROWS + 50 },
      (_, i) => AT + 1000 * (i - (i > 5000 && i < 6000 ? 2500 : 0)),
    );
    for (let from = 0; from < times.length; from += 1000) {
      await writer.appendAll([
        { uid: null, rows: times.slice(from, from + 1000).map((at) => newRow({ at })) },
      ]);
    }
    const spans = [0, 1].map((span) => {
      const own = times.slice(span * SPAN_ROWS, (span + 1) * SPAN_ROWS);
      return { span, min_at: Math.min(...own), max_at: Math.max(...own) };
    });
    assert.deepEqual(
      await store.read.selectFrom('ledger_spans').selectAll().orderBy('span').execute(),
      spans,
    );
    const reader = ledgerReader(store);
    const expected = (from: number, to: number): object => ({
      first: times.findIndex((at) => at >= from) + 1,
      last: times.findLastIndex((at) => at <= to) + 1,
    });
    for (const [from, to] of [
      [0, 9],
      [4000, 4100],
      [4090, 4105],
      [5400, 5600],
      [8000, 9000],
      [8200, 8210],
      [8238, 8300],
    ] as const) {
      const period = [AT + from * 1000, AT + to * 1000] as const;
      assert.deepEqual(await reader.rangeOf(...period), expected(...period));
    }
    assert.deepEqual(await reader.rangeOf(null, null), { first: 1, last: times.length });
    for (const none of [await reader.rangeOf(0, AT - 1), await reader.rangeOf(AT * 2, null)])
      assert.ok(none.first > none.last);
  });

  test('a list of a period looks only into the spans at its ends, and gives what lies inside', async (t) => {
    const store = await engine.open(t);
    const writer = ledgerWriter(store);
    // In the third span a clock was set back.
    const times = Array.from(
      { length: 6 * SPAN_ROWS + 50 },
      (_, i) => AT + 1000 * (i - (i > 9000 && i < 9100 ? 7000 : 0)),
    );
    const rows = times.map((at, i) => newRow({ at, namespace: i % 3 === 0 ? 'shop' : 'data' }));
    for (let from = 0; from < rows.length; from += 1000)
      await writer.appendAll([{ uid: null, rows: rows.slice(from, from + 1000) }]);
    const reader = ledgerReader(store);
    const watched = engine.name === 'sqlite' ? watchReads(store) : null;
    const last = times.length - 1;
    for (const namespace of [undefined, 'shop'])
      for (const [from, to] of [
        [100, last - 100],
        [0, last],
        [SPAN_ROWS, 2 * SPAN_ROWS - 1],
        [8000, 8500],
        [last + 1, last + 2],
      ] as const)
        for (const [limit, offset] of [
          [5, 0],
          [3000, 7000],
          [2500, SPAN_ROWS - 1],
        ] as const) {
          const ids = rows
            .flatMap((row, i) => {
              const at = (times[i] as number) - AT;
              const within = at >= from * 1000 && at <= to * 1000;
              return within && (namespace === undefined || row.namespace === namespace) ? [i + 1] : [];
            })
            .toReversed();
          const filter = { namespace, from: AT + from * 1000, to: AT + to * 1000 };
          const before = watched?.statements.length ?? 0;
          const { items, total } = await reader.list(filter, { limit, offset });
          assert.deepEqual([numbers(items), total], [ids.slice(offset, offset + limit), ids.length]);
          if (watched === null) continue;
          const made = watched.statements.slice(before);
          const looked = made
            .filter(({ text, cells }) => text.includes('count(*)') && cells.length > (namespace ? 3 : 2))
            .reduce((sum, { cells }) => sum + Number(cells[1]) - Number(cells[0]) + 1, 0);
          assert.ok(looked <= 3 * SPAN_ROWS, `${looked} rows were looked into for their times`);
          assert.ok(longestTurn(made) <= 1200, `${longestTurn(made)} rows in one turn`);
        }
    watched?.stop();
  });

  test('a list gives what its filter chooses, newest first, and counts it', async (t) => {
    const store = await engine.open(t);
    const writer = ledgerWriter(store);
    const rows = Array.from({ length: 400 }, (_, i) =>
      newRow({
        at: AT + i * 1000,
        namespace: ['shop', 'payments', 'data'][i % 3] ?? null,
        cluster: i % 50 === 0 ? 'b' : 'a',
        image: i % 2 === 0 ? 'Registry.example/100%_x:1' : 'nginx',
        // A row without a digest is about the one that its reference names.
        ...(i % 8 === 2
          ? { image: `nginx:1@sha256:${'2'.repeat(64)}`, digest: null }
          : { digest: `sha256:${String(i % 4).repeat(64)}` }),
        allowed: i % 5 !== 0,
        label: i % 5 === 0 ? 'tag' : null,
        policy: i % 7 === 0 ? 'p7' : 'p',
        break_glass: i % 11 === 0,
      }),
    );
    await writer.appendAll([{ uid: null, rows }]);
    const reader = ledgerReader(store);
    const cases: [Parameters<typeof reader.list>[0], (i: number, row: NewRow) => boolean][] = [
      [{}, () => true],
      [{ namespace: 'shop' }, (_, row) => row.namespace === 'shop'],
      [{ cluster: 'b', refused: true }, (i) => i % 50 === 0],
      [{ image: '100%_X' }, (i) => i % 2 === 0 && i % 8 !== 2],
      [{ image: '%', refused: false }, (i) => i % 2 === 0 && i % 8 !== 2 && i % 5 !== 0],
      [{ digest: `sha256:${'2'.repeat(64)}`, breakGlass: true }, (i) => i % 4 === 2 && i % 11 === 0],
      [
        { label: 'tag', policy: 'p7', from: AT + 35_000, to: AT + 300_000 },
        (i) => i % 35 === 0 && i >= 35 && i <= 300,
      ],
      [{ from: AT + 390_000 }, (i) => i >= 390],
      [{ to: AT + 3000, breakGlass: false }, (i) => i <= 3 && i % 11 !== 0],
      [{ namespace: 'none' }, () => false],
    ];
    for (const [filter, chosen] of cases) {
      const ids = rows.flatMap((row, i) => (chosen(i, row) ? [i + 1] : [])).toReversed();
      for (const [limit, offset] of [
        [10, 0],
        [3, 2],
        [1000, 0],
        [5, 399],
        [0, 0],
      ] as const) {
        const { items, total } = await reader.list(filter, { limit, offset });
        assert.deepEqual(
          [numbers(items), total],
          [ids.slice(offset, offset + limit), ids.length],
          JSON.stringify(filter),
        );
      }
    }
    assert.equal(await reader.row(401), null);
    assert.equal(await reader.row(NaN), null);
  });
});
