import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { DAY_MS, formatTime } from '../../src/base/index.ts';
import { readExport, type LedgerRow } from '../../src/ledger/index.ts';
import { openStore } from '../../src/store/index.ts';
import { grow, NOW } from '../ledger/grown.ts';
import { ipo, type Ran } from './fake-terminal.ts';
import { at, FOLDER, ROWS, serve, sign, url, whole } from './made-ledger.ts';

const json = ({ out }: Ran): unknown => JSON.parse(out);

suite('ipo ledger list', () => {
  test('gives the same rows from an export, a database and a service, in every format', async (t) => {
    const served = await serve(t);
    for (const filter of [
      [],
      ['--refused', '--limit', '5'],
      ['--namespace', 'team-2', '--label', 'threshold', '--image', 'APP'],
      ['--limit', '10000', '--offset', '600'],
      ['--from', formatTime(NOW - DAY_MS + 20_000), '--to', formatTime(NOW - DAY_MS + 30_000)],
      ['--break-glass'],
      ['--policy', 'shop', '--digest', `sha256:${'2'.repeat(64)}`],
    ]) {
      const args = ['ledger', 'list', ...filter, '-o', 'json'];
      const [file, database, service] = [
        await ipo([...args, '--ledger', whole]),
        await ipo([...args, '--database', url]),
        await served(...args),
      ];
      assert.equal(file.code, 0, file.err);
      assert.deepEqual(json(file), json(database), filter.join(' '));
      assert.equal(service.out, database.out, filter.join(' '));
    }
    const first = json(await ipo(['ledger', 'list', '--database', url, '-o', 'json'])) as {
      items: LedgerRow[];
      total: number;
    };
    assert.deepEqual([first.total, first.items.length, first.items[0]?.id], [ROWS, 20, ROWS]);
    const lines = (await ipo(['ledger', 'list', '-l', whole, '--limit', '3', '-o', 'ndjson'])).out
      .trimEnd()
      .split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line) as unknown),
      first.items.slice(0, 3),
    );
    assert.match(
      (await ipo(['ledger', 'list', '-l', whole, '-o', 'yaml', '--limit', '1'])).out,
      /^items:\n {2}- id: 700\n/,
    );
    const table = await ipo(['ledger', 'list', '--database', url, '--refused', '--limit', '2']);
    assert.match(
      table.out,
      /^row +time \(UTC\) +namespace \/ pod +image +why\n *\d+ +2026-11-19 06:01 +✗ +team-\d\/web-\d+ /,
    );
    assert.match(table.err, /^ipo: rows 1 to 2 of \d+, newest first; next page: --offset 2\n$/);
  });

  test('refuses what it cannot do', async () => {
    for (const [args, message] of [
      [['--ledger', whole, '--database', url], /--ledger and --database exclude each other/],
      [['--ledger', whole, '--token-stdin'], /--token-stdin needs a service/],
      [['--ledger', whole, '--days', '0'], /--days 0: the period must be/],
      [
        ['--ledger', whole, '--days', '3', '--from', '2026-11-20T06:00:00Z'],
        /--days excludes --from and --to/,
      ],
      [['--ledger', whole, '--from', 'yesterday'], /not an RFC 3339 time/],
      [['--ledger', whole, '--limit', '10001'], /--limit 10001/],
      [['--ledger', whole, '-o', 'xml'], /not a format of this command/],
      [['--database', 'postgres://user:password@host/db'], /must not contain a password/],
    ] as const) {
      const { code, err } = await ipo(['ledger', 'list', ...args]);
      assert.equal(code, 2, args.join(' '));
      assert.match(err, message);
    }
    assert.equal((await ipo(['ledger', 'list', '--ledger', at('none')])).code, 3);
    assert.equal((await ipo(['ledger', 'list', '--database', `sqlite:${at('none.db')}`])).code, 3);
  });

  test('reads no more of an export than it shows, where the header says the rest', async () => {
    const lines = zstdDecompressSync(readFileSync(whole)).toString().split('\n');
    const last = lines.findLastIndex((line) => line.includes('"type":"row"'));
    lines[last] = 'this row is damaged';
    const path = at('damaged-end.ndjson');
    writeFileSync(path, lines.join('\n'));
    const few = await ipo(['ledger', 'list', '--ledger', path, '--limit', '5', '-o', 'json']);
    assert.equal(few.code, 0, few.err);
    const { items, total } = json(few) as { items: LedgerRow[]; total: number };
    assert.deepEqual([items.length, items[0]?.id, total], [5, ROWS, ROWS]);
    const filtered = await ipo(['ledger', 'list', '--ledger', path, '--limit', '5', '--refused']);
    assert.equal(filtered.code, 2, 'what has to be counted is read to its end');
  });
});

suite('ipo ledger export', () => {
  test('writes the same rows compressed as the name says, from a database and from a service', async (t) => {
    const served = await serve(t);
    const plain = at('plain.ndjson');
    const { code, err } = await ipo(['ledger', 'export', '--database', url, '-o', plain]);
    assert.deepEqual([code, err], [0, `ipo: 700 rows exported to ${plain}\n`]);
    const withoutTime = (text: string): string => text.replace(/"exported_at":"[^"]*"/, '');
    const text = withoutTime(readFileSync(plain, 'utf8'));
    assert.equal(withoutTime(zstdDecompressSync(readFileSync(whole)).toString()), text);
    for (const name of ['served.ndjson', 'served.ndjson.gz']) {
      const ran = await served('ledger', 'export', '-o', at(name));
      assert.equal(ran.code, 0, ran.err);
      const bytes = readFileSync(at(name));
      assert.equal(withoutTime((name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()), text);
    }
    const piped = await ipo(['ledger', 'export', '--database', url, '-o', '-']);
    assert.equal(withoutTime(piped.out), text);
    const part = at('part.ndjson.gz');
    const end = formatTime(NOW - DAY_MS + 30_000);
    assert.equal(
      (await ipo(['ledger', 'export', '--database', url, '--to', end, '-o', part])).err,
      `ipo: 300 rows exported to ${part}\n`,
    );
    assert.equal((await served('ledger', 'export', '--to', end, '-o', part, '--force')).code, 0);
    const { header } = await readExport(once(gunzipSync(readFileSync(part))), part);
    assert.deepEqual(
      [header.rows, header.tree?.first, header.tree?.last, header.tree?.size],
      [300, 1, 300, ROWS],
    );
  });

  test('overwrites nothing unasked, and leaves nothing behind when it fails', async () => {
    const path = at('mine.ndjson');
    writeFileSync(path, 'mine');
    for (const [args, message] of [
      [['-o', path], /already exists/],
      [['-o', at('x.json')], /The ending of the file gives the format/],
      [['-o', at('x.ndjson'), '--days', '0'], /the period must be/],
    ] as const) {
      const { code, err } = await ipo(['ledger', 'export', '--database', url, ...args]);
      assert.equal(code, 2);
      assert.match(err, message);
    }
    assert.equal((await ipo(['ledger', 'export', '--database', url], { tty: true })).code, 2);
    assert.equal(readFileSync(path, 'utf8'), 'mine');
    assert.equal((await ipo(['ledger', 'export', '--database', url, '-o', at('none/x.ndjson')])).code, 3);
    const gone = await ipo(['ledger', 'export', '--server', 'http://127.0.0.1:1', '-o', at('gone.ndjson')], {
      env: { IPO_TOKEN: 't' },
    });
    assert.equal(gone.code, 3);
    assert.deepEqual(
      readdirSync(FOLDER).filter((name) => name.endsWith('.ipo-tmp') || name.startsWith('gone')),
      [],
    );
  });

  test('leaves rows out that nothing covers yet, and says so', async () => {
    const young = await openStore({ url: `sqlite:${at('young.db')}` });
    await grow(young, 0, 20);
    const unsigned = await ipo(['ledger', 'export', '--database', `sqlite:${at('young.db')}`, '-o', '-']);
    assert.match(unsigned.err, /nothing is signed yet/);
    assert.equal(unsigned.out.split('\n').length, 22, 'header and rows');
    await sign(young);
    await grow(young, 20, 25);
    const ran = await ipo(['ledger', 'export', '--database', `sqlite:${at('young.db')}`, '-o', '-']);
    assert.match(ran.err, /^ipo: 5 rows left out, since no checkpoint covers them yet/);
    await young.close();
  });
});

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
