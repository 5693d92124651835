import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';
import {
  checkpointSchema,
  consistencySchema,
  ledgerSchema,
  rowSchema,
  type CheckpointBody,
  type ConsistencyBody,
  type LedgerBody,
  type RowBody,
} from '../../src/api/contract/ledger.ts';
import { ledgerRoutes } from '../../src/api/index.ts';
import {
  fromBase64,
  LedgerTree,
  openCheckpoint,
  parseKept,
  parseVkey,
  verifyConsistency,
  verifyExport,
  verifyProof,
  type LedgerTree as Tree,
} from '../../src/ledger/index.ts';
import {
  anchorStates,
  auditLog,
  ledgerExport,
  ledgerReader,
  ledgerTree,
  type Store,
} from '../../src/store/index.ts';
import { runText } from '../../src/store/sql/dialect.ts';
import { grow, makeSigner, NOW, SILENT } from '../ledger/grown.ts';
import { forEachEngine, type TestEngine } from '../store/engines.ts';
import { startApi, type Started } from './service.ts';

const signer = makeSigner();
const keys = [parseVkey(signer.vkey)];

interface Served extends Started {
  readonly store: Store;
  readonly signing: Tree;
}

/** Starts the routes of the ledger over a store of so many rows. */
async function serve(t: TestContext, engine: TestEngine, rows: number): Promise<Served> {
  const store = await engine.open(t);
  await grow(store, 0, rows);
  const clock = { now: () => NOW };
  const tree = ledgerTree(store);
  const signing = new LedgerTree({ store: tree, signer, clock, log: SILENT });
  const routes = ledgerRoutes({
    ledger: ledgerReader(store),
    tree,
    signing,
    exporter: (request) => ledgerExport(store, request),
    anchors: anchorStates(store),
    spool: () => ({ rows: 3, delayed: true }),
    audit: auditLog(store, clock),
    clock,
    coldImagePolicy: 'DenyUntilScanned',
    cluster: 'shop-eu',
  });
  return { ...(await startApi(t, routes)), store, signing };
}

async function whole(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

forEachEngine('the ledger by HTTP', (engine) => {
  test('shows how it stands, and its checkpoints', async (t) => {
    const { as, store, signing } = await serve(t, engine, 0);
    const viewer = as('viewer');
    const young = ledgerSchema.parse((await viewer.json<LedgerBody>('GET /ledger')).body);
    assert.deepEqual([young.rows, young.tree_size, young.checkpoint], [0, 0, null]);
    await assert.rejects(viewer.text('GET /ledger/checkpoint'), { code: 'not_found' });
    await grow(store, 0, 300);
    await signing.checkpoint();
    await grow(store, 300, 310);
    await signing.integrate();
    await anchorStates(store).put({
      sink: 'file:/x',
      size: 300,
      at: NOW,
      lastError: null,
      refused: null,
      note: null,
    });
    const { body } = await viewer.json<LedgerBody>('GET /ledger');
    ledgerSchema.parse(body);
    assert.deepEqual(
      [body.rows, body.tree_size, body.origin, body.key, body.spool, body.checkpoint?.size],
      [310, 310, signer.name, signer.vkey, { rows: 3, delayed: true }, 300],
    );
    assert.deepEqual(body.anchors, [
      { name: 'file:/x', size: 300, at: '2026-11-20T06:00:00Z', last_error: null, refused: null },
    ]);
    const { body: note, headers } = await viewer.text('GET /ledger/checkpoint');
    assert.match(headers['content-type'] ?? '', /^text\/plain/);
    assert.equal(openCheckpoint(note, keys).size, 300);
    await signing.checkpoint();
    const list = (
      await viewer.json<{ items: CheckpointBody[]; total: number }>('GET /ledger/checkpoints', {
        query: { limit: 1 },
      })
    ).body;
    assert.deepEqual([list.total, list.items.map(({ size }) => size)], [2, [310]]);
    checkpointSchema.parse(list.items[0]);
  });

  test('lists rows newest first, narrowed and in pages, and shows one', async (t) => {
    const { as } = await serve(t, engine, 250);
    const viewer = as('viewer');
    const list = async (query: Record<string, string | number | boolean>) =>
      (await viewer.json<{ items: RowBody[]; total: number }>('GET /ledger/rows', { query })).body;
    const first = await list({});
    assert.deepEqual([first.total, first.items.length, first.items[0]?.id], [250, 100, 250]);
    for (const row of first.items) rowSchema.parse(row);
    const next = await list({ limit: 10, offset: 100 });
    assert.deepEqual(
      next.items.map(({ id }) => id),
      [150, 149, 148, 147, 146, 145, 144, 143, 142, 141],
    );
    const refused = await list({ refused: true, limit: 10_000 });
    assert.ok(refused.total > 10 && refused.items.every(({ allowed }) => !allowed));
    const narrow = await list({ namespace: 'team-1', label: 'threshold', image: 'APP-', refused: true });
    assert.ok(
      narrow.total > 0 &&
        narrow.items.every(({ namespace, label }) => namespace === 'team-1' && label === 'threshold'),
    );
    assert.equal((await list({ break_glass: true })).total, 0);
    assert.equal((await list({ days: 1 })).total, 250);
    assert.equal((await list({ from: '2026-11-20T06:00:00Z' })).total, 0);
    const { body: row } = await viewer.json<RowBody>('GET /ledger/rows/{id}', { params: { id: 17 } });
    assert.equal(rowSchema.parse(row).id, 17);
    for (const [query, message] of [
      [{ refused: 'maybe' }, /refused must be true or false/],
      [{ from: 'yesterday' }, /from is not an RFC 3339 time/],
      [{ days: 0 }, /days must be between/],
      [{ days: 3, from: '2026-11-20T06:00:00Z' }, /both given/],
      [{ from: '2026-11-20T06:00:00Z', to: '2026-11-19T06:00:00Z' }, /ends before it begins/],
      [{ limit: 10_001 }, /limit must be between/],
    ] as const)
      await assert.rejects(
        list(query),
        (error: Error & { code: string }) => error.code === 'invalid_request' && message.test(error.message),
      );
    for (const id of [251, 9_007_199_254_740_991]) {
      await assert.rejects(viewer.json('GET /ledger/rows/{id}', { params: { id } }), { code: 'not_found' });
      await assert.rejects(viewer.text('GET /ledger/rows/{id}/proof', { params: { id } }), {
        code: 'not_found',
      });
    }
    for (const id of [0, -1, 'x', '1.5'])
      await assert.rejects(viewer.json('GET /ledger/rows/{id}', { params: { id } }), {
        code: 'invalid_request',
      });
  });

  test('proves a row, and one size against another; what is not signed yet is signed first', async (t) => {
    const { as, store, signing } = await serve(t, engine, 280);
    const viewer = as('viewer');
    for (const id of [1, 256, 257, 280]) {
      const { body } = await viewer.text('GET /ledger/rows/{id}/proof', { params: { id } });
      const result = verifyProof(body, 'row', { keys, kept: [] });
      assert.deepEqual([result.holds, result.row?.['id'], result.tree?.size], [true, id, 280]);
    }
    const kept = openCheckpoint((await viewer.text('GET /ledger/checkpoint')).body, keys);
    await grow(store, 280, 600);
    await signing.checkpoint();
    const { body } = await viewer.json<ConsistencyBody>('GET /ledger/consistency', { query: { from: 280 } });
    consistencySchema.parse(body);
    const newest = openCheckpoint((await viewer.text('GET /ledger/checkpoint')).body, keys);
    const proof = body.proof.map((text) => fromBase64(text) ?? '');
    assert.equal(verifyConsistency(280, body.to, proof, kept.root, newest.root), null);
    for (const query of [{ from: 601 }, { from: 300, to: 299 }, { from: 1, to: 601 }])
      await assert.rejects(viewer.json('GET /ledger/consistency', { query }), { code: 'out_of_range' });
    for (const query of [{}, { from: 0 }, { from: 'x' }, { from: 1e30 }])
      await assert.rejects(viewer.json('GET /ledger/consistency', { query }), { code: 'invalid_request' });
  });

  test('exports what verifies, plain, compressed on the way, or as a compressed file, with an audit entry', async (t) => {
    const { as, store, url } = await serve(t, engine, 700);
    const viewer = as('viewer');
    const early = (await viewer.stream('GET /ledger/export', { query: { to: '2026-11-19T06:00:30Z' } })).body;
    const part = await verifyExport(once(await whole(early)), 'part', { keys, kept: [] });
    assert.deepEqual([part.holds, part.rows.first, part.rows.last, part.tree?.size], [true, 1, 300, 700]);
    const note = (await viewer.text('GET /ledger/checkpoint')).body;
    await grow(store, 700, 800);
    const plain = await viewer.stream('GET /ledger/export', {
      query: { format: 'ndjson' },
      headers: { 'accept-encoding': 'gzip' },
    });
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.equal(plain.headers['content-disposition'], 'attachment; filename="ledger-2026-11-20.ndjson"');
    const bytes = await whole(plain.body);
    const result = await verifyExport(once(bytes), 'all', { keys, kept: parseKept(note, 'kept') });
    assert.deepEqual([result.holds, result.rows.count, result.tree?.size], [true, 800, 800]);
    assert.match(
      bytes.toString(),
      /^\{"type":"header",.*"cluster":"shop-eu","cold_image_policy":"DenyUntilScanned","rows":800,/,
    );

    const encoded = await viewer.stream('GET /ledger/export', {
      headers: { 'accept-encoding': 'br, gzip;q=0.5' },
    });
    assert.equal(encoded.headers['content-encoding'], 'gzip');
    assert.ok(gunzipSync(await whole(encoded.body)).equals(bytes));
    const file = await viewer.stream('GET /ledger/export', { query: { format: 'gz' } });
    assert.deepEqual(
      [file.headers['content-type'], file.headers['content-encoding']],
      ['application/gzip', undefined],
    );
    assert.ok(gunzipSync(await whole(file.body)).equals(bytes));
    const none = await viewer.stream('GET /ledger/export', { headers: { 'accept-encoding': 'gzip;q=0' } });
    assert.equal(none.headers['content-encoding'], undefined);
    assert.ok((await whole(none.body)).equals(bytes));

    const entries = await runText<{ action: string; actor: string; detail: string }>(
      store.read,
      'select action, actor, detail from audit order by id',
      [],
    );
    assert.deepEqual(
      [...new Set(entries.map(({ action, actor }) => `${action} ${actor}`))],
      ['ledger_export a viewer'],
    );
    assert.deepEqual(JSON.parse(entries[0]?.detail ?? ''), {
      from: null,
      to: '2026-11-19T06:00:30Z',
      rows: 300,
      size: 700,
    });
    await assert.rejects(viewer.stream('GET /ledger/export', { query: { format: 'zip' } }), {
      code: 'invalid_request',
    });
    await assert.rejects(as('anonymous').stream('GET /ledger/export'), { code: 'unauthenticated' });
    assert.ok(url.startsWith('http://127.0.0.1'));
  });

  test('a client that goes away ends its export', async (t) => {
    const { as, store } = await serve(t, engine, 2500);
    for (const format of ['ndjson', 'gz'] as const) {
      const { body } = await as('viewer').stream('GET /ledger/export', { query: { format } });
      for await (const part of body) {
        assert.ok(part.length > 0);
        break;
      }
    }
    // The service goes on answering, and so does the database behind it.
    assert.equal((await as('viewer').json<LedgerBody>('GET /ledger')).body.rows, 2500);
    assert.equal(await ledgerReader(store).size(), 2500);
  });

  test('a row that is not the one that was signed is not proved', async (t) => {
    const { as, store, signing } = await serve(t, engine, 300);
    await signing.checkpoint();
    await grow(store, 300, 320);
    await store.write((transaction) =>
      runText(transaction, "update ledger_rows set pod = 'forged' where id = 310", []),
    );
    await signing.integrate();
    await store.write((transaction) => runText(transaction, 'delete from ledger_rows where id = 319', []));
    await assert.rejects(as('viewer').text('GET /ledger/rows/{id}/proof', { params: { id: 319 } }), {
      code: 'not_found',
    });
    await store.write((transaction) =>
      runText(transaction, "update ledger_rows set pod = 'forged' where id = 12", []),
    );
    await assert.rejects(as('viewer').text('GET /ledger/rows/{id}/proof', { params: { id: 12 } }), {
      code: 'integrity',
    });
  });
});
