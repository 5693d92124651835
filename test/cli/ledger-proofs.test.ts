import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { zstdDecompressSync } from 'node:zlib';
import { DAY_MS, formatTime } from '../../src/base/index.ts';
import { leafText, parseKept, signCheckpoint, type LedgerRow } from '../../src/ledger/index.ts';
import { ledgerReader, openStore } from '../../src/store/index.ts';
import { grow, makeSigner, NOW } from '../ledger/grown.ts';
import { ipo, type Ran } from './fake-terminal.ts';
import { at, ROWS, serve, sign, signer, store, tampered, url, whole } from './made-ledger.ts';

const document = ({ out }: Ran): Document => JSON.parse(out) as Document;
interface Document {
  readonly holds: boolean;
  readonly checks: readonly { readonly check: string; readonly state: string }[];
  readonly first_bad: { readonly from: number; readonly to: number } | null;
  readonly rows: {
    readonly count: number;
    readonly signed: number;
    readonly first_id: number | null;
    readonly last_id: number | null;
  };
  readonly row?: LedgerRow | null;
}

suite('ipo ledger verify', () => {
  const verify = (...args: string[]): Promise<Ran> => ipo(['ledger', 'verify', ...args]);

  test('holds for an export, a database and a service, given an earlier checkpoint', async (t) => {
    const served = await serve(t);
    const how = ['--checkpoint', at('kept.txt'), '--key', signer.vkey, '--strict', '-o', 'json'];
    for (const ran of [
      await verify('-l', whole, ...how),
      await verify('--database', url, ...how),
      await served('ledger', 'verify', ...how),
      await served('ledger', 'verify', '--days', '1', ...how),
    ]) {
      assert.equal(ran.code, 0, ran.err + ran.out);
      const answer = document(ran);
      assert.deepEqual([answer.holds, answer.first_bad, answer.rows.last_id], [true, null, ROWS]);
      assert.ok(answer.checks.every(({ state }) => state === 'held'));
    }
    const stdin = await ipo(['ledger', 'verify', '--ledger', '-'], { stdin: readFileSync(whole) });
    assert.equal(stdin.code, 0);
    assert.match(
      stdin.out,
      /^✓ 700 rows are as signed\.\nstdin {2}· {2}log ipo\.example\/ledger\/test {2}· {2}tree of 700 rows\n/,
    );
    assert.match(
      stdin.out,
      /What this does not prove\n {2}· No checkpoint stored outside the service was compared/,
    );
    assert.equal((await verify('-l', whole, '--strict')).code, 5);
  });

  test('names the first bad row and exits with 4', async () => {
    const kept = ['--checkpoint', at('kept.txt')];
    const lines = zstdDecompressSync(readFileSync(whole)).toString().trimEnd().split('\n');
    const changed = lines.map((line) =>
      line.replace(/^(\{"type":"row","id":260,.*"pod":)"[^"]*"/, '$1"forged"'),
    );
    writeFileSync(at('changed.ndjson'), `${changed.join('\n')}\n`);
    const edited = await verify('-l', at('changed.ndjson'), ...kept, '-o', 'json');
    assert.equal(edited.code, 4);
    assert.deepEqual([document(edited).first_bad?.from, document(edited).first_bad?.to], [257, 512]);
    writeFileSync(at('cut.ndjson'), `${lines.toSpliced(300, 1).join('\n')}\n`);
    const cut = await verify('-l', at('cut.ndjson'), ...kept);
    assert.equal(cut.code, 4);
    assert.match(cut.out, /^✗ Verification failed: the ledger differs from what was signed\.\n/);
    assert.match(cut.out, /First bad row {2}row 401\n {2}row 401 is missing\.\n/);

    const database = await tampered('edited.db', "update ledger_rows set pod = 'forged' where id = 123");
    const exact = await verify('--database', database, ...kept);
    assert.equal(exact.code, 4);
    assert.match(exact.out, /First bad row {2}row 123\n/);
    const shorter = await tampered(
      'shorter.db',
      'delete from ledger_rows where id > 200',
      'update ledger_head set size = 200',
      'update ledger_tree set size = 200',
      'delete from checkpoints',
    );
    const bare = await verify('--database', shorter);
    assert.equal(bare.code, 1, 'nothing inside shows it, and nothing inside is signed');
    assert.match(bare.out, /^– 200 rows are not signed: nothing to verify against\.\n/);
    const missing = await verify('--database', shorter, ...kept);
    assert.equal(missing.code, 4);
    assert.match(missing.out, /First bad row {2}between row 201 and row 300\n/);
    const other = await verify('-l', whole, '--key', makeSigner().vkey);
    assert.equal(other.code, 4);
    assert.match(other.out, /✗ signature +the note is not signed by ipo\.example/);
  });

  test('names a checkpoint file that is not an export', async () => {
    writeFileSync(at('other.ndjson'), 'kind: ImagePolicy\n');
    const ran = await verify('-l', at('whole.ndjson.zst'), '--checkpoint', at('other.ndjson'));
    assert.equal(ran.code, 2);
    assert.match(ran.err, /other\.ndjson: this is not a ledger export, so nothing can be compared with it/);
  });

  test('takes as kept a note, several, a proof and an earlier export; a key from a file', async () => {
    const note = (await ipo(['ledger', 'checkpoint', '-l', whole])).out;
    writeFileSync(at('several.txt'), `${readFileSync(at('kept.txt'), 'utf8')}\n${note}`);
    writeFileSync(at('key.txt'), `# key of the log\n${signer.vkey}\n`);
    await ipo(['ledger', 'prove', '5', '-l', whole, '-o', at('row-5.tlog-proof')]);
    for (const kept of ['kept.txt', 'several.txt', 'row-5.tlog-proof', 'whole.ndjson.zst']) {
      const ran = await verify(
        '--database',
        url,
        '--checkpoint',
        at(kept),
        '--key',
        at('key.txt'),
        '--strict',
      );
      assert.equal(ran.code, 0, ran.out + ran.err);
    }
    writeFileSync(at('words.txt'), 'words');
    for (const [args, code] of [
      [['--checkpoint', at('words.txt')], 2],
      [['--checkpoint', at('none.txt')], 3],
      [['--key', at('words.txt')], 2],
      [['--key', 'a+12345678+AAAA'], 2],
      [['--days', '3'], 2],
      [['--proof', at('row-5.tlog-proof'), '-l', whole], 2],
    ] as const)
      assert.equal((await verify('-l', whole, ...args)).code, code, args.join(' '));
    assert.match(
      (await verify('-l', whole, '--key', at('words.txt'))).err,
      /words\.txt: not a valid verifier key/,
    );
    assert.equal((await verify('-l', at('words.txt'))).code, 2);
  });
});

suite('ipo ledger verify tells signed rows from others', () => {
  const verify = (...args: string[]): Promise<Ran> => ipo(['ledger', 'verify', ...args]);
  const how = ['--checkpoint', at('kept.txt'), '--key', signer.vkey];

  test('of a database with a row behind the last checkpoint: headline, JSON, and exit 5 under --strict', async () => {
    const forged = await tampered(
      'forged.db',
      `insert into ledger_rows (id, at, shape, pod, pod_uid, review_uid, part, requester)
         select ${ROWS + 1}, at, shape, 'forged', pod_uid, null, part, requester from ledger_rows where id = ${ROWS}`,
      `update ledger_head set size = ${ROWS + 1}`,
    );
    const table = await verify('--database', forged, ...how);
    assert.equal(table.code, 0);
    assert.match(table.out, /^– 700 of 701 rows are as signed; rows after 700 are not signed yet\.\n/);
    assert.match(table.out, /– signed rows +rows after 700 are not signed yet \(1 row\)\n/);
    assert.equal((await verify('--database', forged, ...how, '--strict')).code, 5);
    const json = document(await verify('--database', forged, ...how, '-o', 'json'));
    assert.deepEqual([json.holds, json.rows.count, json.rows.signed], [true, 701, 700]);
    const strict = await verify('--database', url, ...how, '--strict', '-o', 'json');
    assert.deepEqual([strict.code, document(strict).rows.signed], [0, 700]);
    // One that the ledger does not even count is no row that waits to be signed.
    const uncounted = await tampered(
      'uncounted.db',
      `insert into ledger_rows (id, at, shape, pod, pod_uid, review_uid, part, requester)
         select ${ROWS + 1}, at, shape, 'forged', pod_uid, null, part, requester from ledger_rows where id = ${ROWS}`,
    );
    const found = await verify('--database', uncounted, ...how);
    assert.equal(found.code, 4);
    assert.match(found.out, /✗ rows +row 701 was added: the ledger counts 700\n/);
  });

  test('of an export that was never signed: exit 1, 5 under --strict, and 4 where a signature is asked for', async () => {
    const lines = zstdDecompressSync(readFileSync(whole)).toString().trimEnd().split('\n').slice(0, -1);
    const { tree: _tree, ...header } = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
    writeFileSync(at('bare.ndjson'), `${[JSON.stringify(header), ...lines.slice(1)].join('\n')}\n`);
    const bare = await verify('-l', at('bare.ndjson'));
    assert.equal(bare.code, 1);
    assert.match(bare.out, /^– 700 rows are not signed: nothing to verify against\.\n/);
    assert.match(bare.out, /– signature +the export is not signed: there is nothing to verify it against\n/);
    assert.doesNotMatch(bare.out, /✗|Next/);
    const strict = await verify('-l', at('bare.ndjson'), '--strict', '-o', 'json');
    assert.deepEqual([strict.code, document(strict).holds, document(strict).rows.signed], [5, true, 0]);
    for (const asked of [['--key', signer.vkey], ['--checkpoint', at('kept.txt')], how]) {
      const ran = await verify('-l', at('bare.ndjson'), ...asked);
      assert.equal(ran.code, 4, asked.join(' '));
      assert.match(ran.out, /^✗ Verification failed: there is no valid signature over these rows\.\n/);
    }
    const damaged = lines.toSpliced(300, 1).with(0, JSON.stringify(header));
    writeFileSync(at('bare-damaged.ndjson'), `${damaged.join('\n')}\n`);
    assert.equal((await verify('-l', at('bare-damaged.ndjson'))).code, 4, 'a row that is missing is missing');
  });

  test('of the made-up shop, whose key is published', async () => {
    const shop = fileURLToPath(new URL('../../fixtures/ledger/shop.ndjson.gz', import.meta.url));
    const key = fileURLToPath(new URL('../../fixtures/ledger/shop.vkey', import.meta.url));
    const ran = await verify('-l', shop, '--key', key);
    assert.equal(ran.code, 0, ran.out + ran.err);
    assert.match(ran.out, /^✓ 5895 rows are as signed\.\n/);
  });
});

suite('ipo ledger prove', () => {
  test('proves a row from an export, a part of it, a database and a service alike, and is verified offline', async (t) => {
    const served = await serve(t);
    const part = at('some.ndjson');
    const range = ['--from', formatTime(NOW - DAY_MS + 31_000), '--to', formatTime(NOW - DAY_MS + 60_000)];
    assert.equal((await ipo(['ledger', 'export', '--database', url, ...range, '-o', part])).code, 0);
    for (const id of ['310', '400', '512', '513', '599']) {
      const texts = [
        await ipo(['ledger', 'prove', id, '-l', whole]),
        await ipo(['ledger', 'prove', id, '-l', part]),
        await ipo(['ledger', 'prove', id, '--database', url]),
        await served('ledger', 'prove', id),
      ];
      for (const { code, err } of texts) assert.equal(code, 0, err);
      assert.equal(new Set(texts.map(({ out }) => out)).size, 1, `row ${id}`);
      const proof = await ipo(['ledger', 'verify', '--proof', '-', '--key', signer.vkey, '-o', 'json'], {
        stdin: texts[0]?.out ?? '',
      });
      const answer = document(proof);
      assert.deepEqual([proof.code, answer.holds, answer.row?.id], [0, true, Number(id)]);
      assert.equal(
        leafText(answer.row as LedgerRow),
        leafText((await ledgerReader(store).row(Number(id))) as LedgerRow),
      );
    }
    const forged = (await ipo(['ledger', 'prove', '9', '-l', whole])).out.replace('index 8', 'index 7');
    const bad = await ipo(['ledger', 'verify', '--proof', '-', '--key', signer.vkey], { stdin: forged });
    assert.equal(bad.code, 4);
    assert.match(bad.out, /^✗ Verification failed: the proof does not match\.\n/);
  });

  test('says what cannot be proved', async () => {
    for (const [args, code] of [
      [['0', '-l', whole], 2],
      [['x', '-l', whole], 2],
      [['701', '-l', whole], 1],
      [['1', '-l', at('some.ndjson')], 1],
      [['701', '--database', url], 1],
    ] as const)
      assert.equal((await ipo(['ledger', 'prove', ...args])).code, code, args.join(' '));
    const bare = await ipo(['ledger', 'verify', '--proof', at('kept.txt')]);
    assert.equal(bare.code, 2);
    assert.match(bare.err, /cannot be verified without a key or a stored checkpoint/);
    assert.equal(
      (
        await ipo([
          'ledger',
          'prove',
          '3',
          '--database',
          await tampered('forged.db', "update ledger_rows set pod = 'x' where id = 3"),
        ])
      ).code,
      4,
    );
  });
});

suite('ipo ledger checkpoint', () => {
  test('prints the newest note from an export, a database and a service', async (t) => {
    const served = await serve(t);
    const notes = [
      (await ipo(['ledger', 'checkpoint', '-l', whole])).out,
      (await ipo(['ledger', 'checkpoint', '--database', url])).out,
      (await served('ledger', 'checkpoint')).out,
    ];
    assert.equal(new Set(notes).size, 1);
    assert.equal(parseKept(notes[0] ?? '', 'note')[0]?.checkpoint.size, ROWS);
    const verified = await served('ledger', 'checkpoint', '--verify');
    assert.equal(verified.code, 0, verified.err);
    assert.match(
      verified.out,
      /^log +ipo\.example\/ledger\/test\nrows +700\nroot +\S{44}\nsignature +valid \(key [0-9a-f]{8}\), with the key that the ledger itself names\n/,
    );
    assert.ok(verified.out.includes(signer.vkey));
    const other = await ipo([
      'ledger',
      'checkpoint',
      '--database',
      url,
      '--verify',
      '--key',
      makeSigner().vkey,
    ]);
    assert.equal(other.code, 4);
  });

  test('replaces a kept one only by one that extends it', async (t) => {
    const served = await serve(t);
    const path = at('watched.txt');
    copyFileSync(at('kept.txt'), path);
    const ran = await served('ledger', 'checkpoint', '--save', path);
    assert.deepEqual([ran.code, ran.out], [0, '']);
    assert.match(
      ran.err,
      /extends the checkpoint of 300 rows that was saved before; .* now has the one of 700 rows/,
    );
    const again = await ipo(['ledger', 'checkpoint', '--database', url, '--save', path]);
    assert.equal(again.code, 0);
    assert.match(again.err, /the ledger has not grown since the checkpoint of 700 rows in .*watched\.txt/);
    // Another history of the same log, signed with the same key.
    const fork = await openStore({ url: `sqlite:${at('fork.db')}` });
    await grow(fork, 0, 100);
    await grow(fork, 100, 800);
    await sign(fork);
    await fork.close();
    const before = readFileSync(path, 'utf8');
    const forked = await ipo([
      'ledger',
      'checkpoint',
      '--database',
      `sqlite:${at('fork.db')}`,
      '--save',
      path,
    ]);
    assert.equal(forked.code, 4);
    assert.match(
      forked.err,
      /the checkpoint of 700 rows that was saved before is not extended by the newest of 800/,
    );
    assert.equal(readFileSync(path, 'utf8'), before);
    copyFileSync(at('kept.txt'), path);
    const offline = await ipo(['ledger', 'checkpoint', '-l', whole, '--save', path]);
    assert.equal(offline.code, 2);
    assert.match(offline.err, /an export cannot prove that it extends/);
  });

  test('overwrites no kept one that it does not extend, or that another key signed', async () => {
    const path = at('several.txt');
    const forked = { origin: signer.name, size: 200, root: 'x'.repeat(32), extensions: [] };
    for (const [note, why] of [
      [
        signCheckpoint(forked, signer),
        /of 200 rows that was saved before is not extended by the newest of 700/,
      ],
      [
        signCheckpoint(forked, makeSigner()),
        /of 200 rows that was saved before is not signed by the key of this ledger/,
      ],
    ] as const) {
      const kept = `${readFileSync(at('kept.txt'), 'utf8')}\n${note}`;
      writeFileSync(path, kept);
      const ran = await ipo(['ledger', 'checkpoint', '--database', url, '--save', path]);
      assert.equal(ran.code, 4);
      assert.match(ran.err, why);
      assert.equal(readFileSync(path, 'utf8'), kept);
    }
  });
});
