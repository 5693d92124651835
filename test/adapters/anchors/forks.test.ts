import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileAnchor, httpAnchor } from '../../../src/adapters/anchors/index.ts';
import { signCheckpoint, UNREAD_MS, type Anchor } from '../../../src/ledger/index.ts';
import { ledgerWriter, type Store } from '../../../src/store/index.ts';
import { withoutOpenssl } from '../../app/certificate.ts';
import { entriesFrom, grow, makeSigner, NOW, ORIGIN, treeOf } from '../../ledger/grown.ts';
import { forEachEngine, sqlite } from '../../store/engines.ts';
import { openMap } from './config-map.ts';
import { signingOf } from './signing.ts';

const folder = mkdtempSync(join(tmpdir(), 'ipo-forks-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Reviews that the first history never had. */
async function growOther(store: Store, count: number, after = 0): Promise<void> {
  await ledgerWriter(store).appendAll(entriesFrom(50_001 + after, count));
}

forEachEngine('a ledger and its anchor', (engine) => {
  const option = { skip: withoutOpenssl };

  test(
    'an older copy of the database never overwrites what is anchored, however it grows, and signs nothing',
    option,
    async (t) => {
      const { anchor, data } = await openMap(t, folder);
      const signer = makeSigner();
      const first = await engine.open(t);
      await grow(first, 0, 673);
      assert.equal(await signingOf(first, signer, [anchor]).minute(), null);
      const kept = data();
      assert.equal(kept['size'], '673');

      const copy = await engine.open(t);
      await grow(copy, 0, 473);
      await treeOf(copy, signer).checkpoint(); // as it was when the copy was made
      const restored = signingOf(copy, signer, [anchor]);
      assert.equal(await restored.minute(), null, 'nothing is to be signed');
      assert.deepEqual([data(), restored.refused], [kept, ['ahead']], 'it is told before the ledger grows');
      await growOther(copy, 100);
      assert.match(
        (await restored.minute()) ?? '',
        /673 rows that this log signed, and the ledger has 573 now/,
      );
      await growOther(copy, 150, 100);
      for (let minute = 0; minute < 3; minute += 1)
        assert.match((await restored.minute()) ?? '', /the ledger of 723 rows does not extend it/);
      assert.deepEqual(data(), kept, 'the proof of 673 rows is still there');
      assert.equal(await restored.signed(), 473, 'no second history is signed');
      const [state] = await restored.states();
      assert.deepEqual([state?.size, state?.refused], [0, 'forked']);
      assert.deepEqual(restored.refused, ['ahead', 'ahead', 'forked', 'forked', 'forked']);
      assert.equal(restored.logged.length, 2, 'an error once for each reason');

      assert.equal(await signingOf(first, signer, [anchor]).minute(), null);
      assert.deepEqual(data(), kept);
    },
  );

  test(
    'a new log after a reinstall is signed, and neither published nor marked as published',
    option,
    async (t) => {
      for (const [name, reason] of [
        ['ipo.example/ledger/another', 'other_log'],
        [ORIGIN, 'other_key'],
      ] as const) {
        const { anchor, data, edit } = await openMap(t, folder);
        const first = await engine.open(t);
        await grow(first, 0, 30);
        await signingOf(first, makeSigner(), [anchor]).minute();
        const kept = data();
        const fresh = await engine.open(t);
        await grow(fresh, 0, 40);
        const signing = signingOf(fresh, makeSigner(name), [anchor]);
        for (let minute = 0; minute < 2; minute += 1) assert.equal(await signing.minute(), null);
        const [state] = await signing.states();
        assert.deepEqual([data(), await signing.signed()], [kept, 40], reason);
        assert.deepEqual([state?.size, state?.refused, signing.refused], [0, reason, [reason, reason]]);
        await edit(null); // a person kept a copy of it, and removed the data
        assert.equal(await signing.minute(), null);
        const [after] = await signing.states();
        assert.deepEqual(
          [data()['size'], after?.size, after?.refused, after?.lastError],
          ['40', 40, null, null],
        );
      }
    },
  );
});

test(
  'a ConfigMap that was edited is left as it is, while the ledger is signed and told elsewhere',
  {
    skip: withoutOpenssl,
  },
  async (t) => {
    const { anchor, data, edit } = await openMap(t, folder);
    const file = fileAnchor({ path: join(folder, 'beside.txt'), keep: 'newest' });
    const store = await sqlite.open(t);
    const signer = makeSigner();
    const signing = signingOf(store, signer, [anchor, file]);
    await grow(store, 0, 20);
    await signing.minute();
    const note = data()['checkpoint'] ?? '';
    const longer = signCheckpoint({ origin: ORIGIN, size: 0, root: 'x'.repeat(32), extensions: [] }, signer);
    let size = 20;
    for (const [edited, reason] of [
      [{ checkpoint: 'my shopping list' }, 'unreadable'],
      [{ checkpoint: '' }, 'unreadable'],
      [{ checkpoint: null }, 'unreadable'],
      [{ checkpoint: note.slice(0, -20) }, 'unreadable'],
      [{ checkpoint: note.replace('\n20\n', '\n19\n') }, 'signature'],
      [{ checkpoint: longer }, 'forked'],
    ] as const) {
      await edit(edited);
      const before = data();
      await grow(store, size, size + 1);
      await signing.minute();
      assert.deepEqual([data(), signing.refused.at(-1)], [before, reason]);
      if (reason === 'forked') continue;
      size += 1;
      assert.equal(await signing.signed(), size, 'what proves nothing keeps nothing from being signed');
      assert.match(readFileSync(join(folder, 'beside.txt'), 'utf8'), new RegExp(`\n${size}\n`));
    }
  },
);

test(
  'of two leaders neither puts an older checkpoint in the place of a newer one',
  {
    skip: withoutOpenssl,
  },
  async (t) => {
    const { anchor, data } = await openMap(t, folder);
    const store = await sqlite.open(t);
    const signer = makeSigner();
    /** An anchor that stops between reading and writing while another leader goes on. */
    let meanwhile: (() => Promise<void>) | null = null;
    const slow: Anchor = {
      ...anchor,
      publish: async (checkpoint, over) => {
        await meanwhile?.();
        meanwhile = null;
        return anchor.publish(checkpoint, over);
      },
    };
    const [old, young] = [signingOf(store, signer, [slow]), signingOf(store, signer, [anchor])];
    await grow(store, 0, 10);
    assert.equal(await old.minute(), null);
    await grow(store, 10, 20);
    meanwhile = async () => {
      await grow(store, 20, 30);
      assert.equal(await young.minute(), null);
    };
    assert.equal(await old.minute(), null);
    assert.equal(data()['size'], '30');
    assert.equal(await old.minute(), null);
    const [state] = await old.states();
    assert.deepEqual([data()['size'], state?.size, state?.lastError, old.refused], ['30', 30, null, []]);
  },
);

test(
  'while the anchor cannot be read, a process signs only what it signed before, until ten minutes have passed',
  {
    skip: withoutOpenssl,
  },
  async (t) => {
    const { anchor, data, away } = await openMap(t, folder);
    const signer = makeSigner();
    let now = NOW;
    const clock = { now: () => now };
    const first = await sqlite.open(t);
    await grow(first, 0, 10);
    const signing = signingOf(first, signer, [anchor], clock);
    assert.equal(await signing.minute(), null);
    away(true);
    await grow(first, 10, 20);
    assert.equal(await signing.minute(), null);
    assert.deepEqual([await signing.signed(), data()['size']], [20, '10'], 'it signed the newest itself');
    away(false);
    await signing.minute();
    assert.equal(data()['size'], '20');

    away(true);
    const copy = await sqlite.open(t);
    await grow(copy, 0, 5);
    await treeOf(copy, signer).checkpoint();
    await growOther(copy, 40);
    const restored = signingOf(copy, signer, [anchor], clock);
    assert.match((await restored.minute()) ?? '', /not signed yet: the anchor configmap:\/ipo-checkpoint/);
    now += UNREAD_MS - 1;
    assert.notEqual(await restored.minute(), null);
    assert.equal(await restored.signed(), 5);
    away(false);
    assert.match((await restored.minute()) ?? '', /does not extend it/);
    away(true);
    await restored.minute();
    now += UNREAD_MS;
    assert.equal(await restored.minute(), null);
    assert.equal(await restored.signed(), 45, 'rows that nothing covers would show no change');
    away(false);
    const kept = data();
    await restored.minute();
    assert.deepEqual([data(), restored.refused.at(-1)], [kept, 'forked']);
  },
);

test('a place that only takes is told what extends the last that it took, and may say no', async (t) => {
  const seen: string[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (text: string) => void seen.push(text.split('\n')[1] ?? ''));
    request.on('end', () => response.writeHead(status).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const sink = httpAnchor({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    token: null,
  });
  const file = fileAnchor({ path: join(folder, 'with-sink.txt'), keep: 'all' });
  const store = await sqlite.open(t);
  const signer = makeSigner();
  const signing = signingOf(store, signer, [sink, file]);
  await grow(store, 0, 10);
  await signing.minute();
  status = 409;
  await grow(store, 10, 12);
  await signing.minute();
  assert.deepEqual(signing.refused, ['conflict']);
  const refused = (await signing.states()).find(({ sink: name }) => name === sink.name);
  assert.deepEqual([refused?.size, refused?.refused], [10, 'conflict']);
  status = 200;
  await signing.minute();
  assert.deepEqual(seen, ['10', '12', '12']);

  // The file holds more than an older copy, so the address is not told of that copy either.
  const copy = await sqlite.open(t);
  await grow(copy, 0, 7);
  await treeOf(copy, signer).checkpoint();
  await growOther(copy, 20);
  const restored = signingOf(copy, signer, [sink, file]);
  assert.match((await restored.minute()) ?? '', /does not extend it/);
  assert.deepEqual(seen, ['10', '12', '12']);
});

for (const keep of ['all', 'newest'] as const) {
  test(`a file that keeps ${keep === 'all' ? 'all checkpoints' : 'the newest checkpoint'} is left as it is by another history`, async (t) => {
    const path = join(folder, `history-${keep}.txt`);
    const anchor = fileAnchor({ path, keep });
    const signer = makeSigner();
    const first = await sqlite.open(t);
    const signing = signingOf(first, signer, [anchor]);
    for (const size of [3, 10, 20]) {
      await grow(first, size === 3 ? 0 : size === 10 ? 3 : 10, size);
      await signing.minute();
    }
    const kept = readFileSync(path, 'utf8');
    const copy = await sqlite.open(t);
    await grow(copy, 0, 10);
    await treeOf(copy, signer).checkpoint();
    await growOther(copy, 30);
    const restored = signingOf(copy, signer, [anchor]);
    await restored.minute();
    assert.deepEqual([readFileSync(path, 'utf8'), restored.refused], [kept, ['forked']]);

    const fresh = signingOf(copy, makeSigner('ipo.example/another'), [anchor]);
    await fresh.minute();
    assert.equal(readFileSync(path, 'utf8'), kept);

    // An older history that was told behind a newer one: what is largest counts, not what is last.
    if (keep === 'all') {
      const [older] = kept.split(/\n\n(?=ipo)/);
      writeFileSync(path, `${kept}\n${older}\n`);
      await restored.minute();
      assert.deepEqual(restored.refused, ['forked', 'forked']);
    }
  });
}

test('an anchor that lost what it was told is told again, with a warning', async (t) => {
  const path = join(folder, 'lost.txt');
  const store = await sqlite.open(t);
  const signing = signingOf(store, makeSigner(), [fileAnchor({ path, keep: 'newest' })]);
  await grow(store, 0, 10);
  await signing.minute();
  rmSync(path);
  await signing.minute();
  assert.match(readFileSync(path, 'utf8'), /\n10\n/);
  assert.deepEqual(signing.logged, ['An anchor no longer holds what was sent to it; it is sent again']);
});
