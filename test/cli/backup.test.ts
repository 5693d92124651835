import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { openMarkers } from '../../src/trackers/index.ts';
import { LedgerTree, toSigner } from '../../src/ledger/index.ts';
import {
  channelStore,
  deliveryStore,
  ledgerTree,
  lockFile,
  openStore,
  restoreEpoch,
  successorOrigin,
} from '../../src/store/index.ts';
import { run } from '../../src/store/sql/run.ts';
import { sql } from 'kysely';
import { grow, NOW, SILENT } from '../ledger/grown.ts';
import { contentOf } from '../store/content.ts';
import { KubernetesApi, leaseStore } from '../../src/adapters/kubernetes/index.ts';
import { microTime } from '../../src/base/index.ts';
import { FakeApiServer } from '../kubernetes/fake/api-server.ts';
import { kubeconfigOf, plainConnection } from '../kubernetes/servers.ts';
import { startFakeRegistry } from '../registry/fake-registry.ts';
import { forEachEngine } from '../store/engines.ts';
import { ipo } from './fake-terminal.ts';
import { at, ROWS, signer, store, url } from './made-ledger.ts';

const DATA_KEY = 'nKDkTgSIXTsnMvvJ1PdI4bIzAsNcSLfEzhRCAsNSFaE=';
const PASSPHRASE = 'plover lathe umber 93';
const PEM = at('ledger-key.pem');
writeFileSync(PEM, 'a key of the ledger\n');

await store.write(async (transaction) => {
  await run(
    transaction,
    sql`insert into channels (id, kind, name, enabled, settings, subscriptions, created_at, place, version, updated_at)
      values ('c1', 'webhook', 'hook', 1, '{"url":"https://hook.example/x"}', '["ledger_broken"]', 1, 1, 1, 1)`,
  );
  await run(
    transaction,
    sql`insert into outbox (channel_id, event, subject, count, shown, items, first_at, last_at) values ('c1', 'ledger_broken', 'ledger', 1, 1, '{}', 1, 1)`,
  );
});
const FILE = at('first.ipobackup');
const created = await ipo(['backup', 'create', '--database', url, '--out', FILE, '-o', 'json']);
assert.equal(created.code, 0, created.err);

test('a backup is a file that only its owner reads, and verify says what is in it', async () => {
  const { bytes, sha256, ledger_rows: rows } = JSON.parse(created.out) as Record<string, unknown>;
  assert.equal(statSync(FILE).mode & 0o077, 0);
  assert.equal(bytes, statSync(FILE).size);
  assert.equal(rows, ROWS);
  const verified = await ipo(['backup', 'verify', FILE, '--checkpoint', at('kept.txt'), '-o', 'json']);
  assert.equal(verified.code, 0, verified.err);
  const answer = JSON.parse(verified.out) as {
    sha256: string;
    keys: string;
    ledger: { rows: number; signed: number; checks: { check: string; state: string }[] };
  };
  assert.deepEqual([answer.sha256, answer.keys], [sha256, 'none']);
  assert.deepEqual([answer.ledger.rows, answer.ledger.signed], [ROWS, ROWS]);
  assert.deepEqual(
    answer.ledger.checks.filter(({ state }) => state !== 'held'),
    [],
  );
  const table = await ipo(['backup', 'verify', FILE]);
  assert.match(table.out, /every byte is as it was written/);
});

test('a file that exists is overwritten only with --force, and without a database the flags are named', async () => {
  const path = at('again.ipobackup');
  writeFileSync(path, 'kept');
  const create = (...more: string[]) => ipo(['backup', 'create', '--database', url, '--out', path, ...more]);
  const again = await create();
  assert.equal(again.code, 2);
  assert.match(again.err, /again\.ipobackup already exists\n {2}Name another file, or give --force/);
  assert.equal(readFileSync(path, 'utf8'), 'kept');
  assert.equal((await create('--force')).code, 0);
  const none = await ipo(['backup', 'create', '--out', at('none.ipobackup')]);
  assert.match(none.err, /no database given\n {2}Give --data DIRECTORY or --config FILE/);
});

test('a byte that was changed anywhere is found, and so is an end that is missing', async () => {
  const bytes = readFileSync(FILE);
  const places = [0, 1, 4, 5, 6, bytes.length - 1, bytes.length - 60, bytes.length - 103];
  for (let place = 7; place < bytes.length - 103; place += Math.floor(bytes.length / 12)) places.push(place);
  for (const place of places) {
    const changed = Buffer.from(bytes);
    changed[place] = (changed[place] ?? 0) ^ 0x10;
    writeFileSync(at('changed.ipobackup'), changed);
    const { code, out } = await ipo(['backup', 'verify', at('changed.ipobackup')]);
    assert.ok(code === 4 || code === 2, `byte ${place} was changed, and exit ${code}`);
    assert.equal(out, '');
  }
  for (const length of [0, 3, 50, bytes.length - 1, bytes.length - 200]) {
    writeFileSync(at('changed.ipobackup'), bytes.subarray(0, length));
    assert.notEqual((await ipo(['backup', 'verify', at('changed.ipobackup')])).code, 0, String(length));
  }
});

forEachEngine('a restore', (engine) => {
  test('fills an empty database, pauses channels, drops messages and raises the epoch', async (t) => {
    const database = await engine.empty();
    const env = { IPO_DATABASE: database };
    const restored = await ipo(['backup', 'restore', FILE], { env });
    assert.equal(restored.code, 0, restored.err);
    assert.match(restored.err, /channels are paused/);
    const opened = await openStore({ url: database });
    t.after(() => opened.close());
    assert.match((await restoreEpoch(opened)) ?? '', /^[a-z2-7]{8}$/);
    const channel = await channelStore(opened).get('c1');
    assert.ok((channel?.paused?.since ?? 0) > NOW);
    assert.deepEqual(await deliveryStore(opened).waiting(), []);
    const verified = await ipo(['ledger', 'verify', '--database', '--checkpoint', at('kept.txt')], { env });
    assert.equal(verified.code, 0, verified.out);
    const again = await ipo(['backup', 'restore', FILE], { env });
    assert.equal(again.code, 3);
    assert.match(again.err, /is not empty/);
  });

  test('of a damaged backup leaves an empty database', async () => {
    const database = await engine.empty();
    const bytes = readFileSync(FILE);
    bytes[bytes.length - 80] = (bytes[bytes.length - 80] ?? 0) ^ 1;
    writeFileSync(at('damaged.ipobackup'), bytes);
    const env = { IPO_DATABASE: database };
    assert.equal((await ipo(['backup', 'restore', at('damaged.ipobackup')], { env })).code, 4);
    assert.equal((await ipo(['backup', 'restore', FILE], { env })).code, 0);
  });

  test('moves to the other engine and back, and both hold the same', async () => {
    const there = await engine.empty();
    const moved = await ipo(['backup', 'move', '--from', url], { env: { IPO_BACKUP_TO: there } });
    assert.equal(moved.code, 0, moved.err);
    const back = `sqlite:${at(`back-${engine.name}.db`)}`;
    const env = { IPO_BACKUP_FROM: there };
    assert.equal((await ipo(['backup', 'move', '--to', back], { env })).code, 0);
    const opened = await openStore({ url: back });
    assert.deepEqual(await contentOf(opened.read), await contentOf(store.read));
    await opened.close();
  });
});

test('a backup is pushed to a registry, verified there and restored from it', async (t) => {
  const fake = await startFakeRegistry(t);
  const place = `oci://${fake.host}/backups/ipo`;
  const pushed = await ipo(['backup', 'create', '--database', url, '--out', `${place}:monday`, '-o', 'json']);
  assert.equal(pushed.code, 0, pushed.err);
  const { target, sha256 } = JSON.parse(pushed.out) as { target: string; sha256: string };
  assert.match(target, /:monday@sha256:[0-9a-f]{64}$/);
  const verified = await ipo(['backup', 'verify', target, '--checkpoint', at('kept.txt'), '-o', 'json']);
  assert.equal(verified.code, 0, verified.err);
  assert.equal((JSON.parse(verified.out) as { sha256: string }).sha256, sha256);
  const database = `sqlite:${at('pulled.db')}`;
  const restored = await ipo(['backup', 'restore', `${place}:monday`, '--database', database]);
  assert.equal(restored.code, 0, restored.err);
  for (const [named, code] of [
    [place, 2],
    [`${place}:absent`, 1],
    ['oci://nonsense', 2],
  ] as const)
    assert.equal((await ipo(['backup', 'verify', named])).code, code, named);
  const untagged = await ipo(['backup', 'create', '--database', url, '--out', place]);
  assert.equal(untagged.code, 2);
  assert.match(untagged.err, /is pushed under a tag/);
});

test('keys travel under a passphrase, and another one writes nothing', async () => {
  const file = at('keys.ipobackup');
  const env = { DATA_KEY, IPO_BACKUP_PASSPHRASE: PASSPHRASE };
  const create = ['backup', 'create', '--database', url, '--out', file, '--with-keys', '--ledger-key', PEM];
  assert.equal((await ipo(create, { env: { ...env, IPO_BACKUP_PASSPHRASE: 'short' } })).code, 2);
  assert.equal((await ipo(create, { env })).code, 0);
  assert.doesNotMatch(readFileSync(file, 'latin1'), /a key of the ledger/);

  const target = at('keyed.db');
  const restore = ['backup', 'restore', file, '--database', `sqlite:${target}`, '--keys-to', at('keys')];
  const wrong = await ipo(restore, { env: { IPO_BACKUP_PASSPHRASE: 'another passphrase' } });
  assert.equal(wrong.code, 3);
  assert.match(wrong.err, /the passphrase does not open the keys/);
  assert.deepEqual([existsSync(target), existsSync(at('keys'))], [false, false]);
  const right = await ipo(restore, { env });
  assert.equal(right.code, 0, right.err);
  assert.equal(readFileSync(at('keys/ledger-key.pem'), 'utf8'), readFileSync(PEM, 'utf8'));
  assert.equal(readFileSync(at('keys/data-key'), 'utf8').trim(), DATA_KEY);
  const twice = [...restore];
  twice[4] = `sqlite:${at('keyed-2.db')}`;
  const kept = await ipo(twice, { env });
  assert.equal(kept.code, 3);
  assert.match(kept.err, /is there already: a key is never overwritten/);
  assert.equal(existsSync(at('keyed-2.db')), false);
  assert.deepEqual(
    readdirSync(at('.')).filter((name) => name.endsWith('.ipo-tmp')),
    [],
  );
});

test('a backup that is older than a kept checkpoint needs --lost-rows, and the log goes on under another name', async () => {
  const old = at('old.ipobackup');
  assert.equal((await ipo(['backup', 'create', '--database', url, '--out', old])).code, 0);
  const later = `sqlite:${at('later.db')}`;
  assert.equal((await ipo(['backup', 'move', '--from', url, '--to', later])).code, 0);
  const grown = await openStore({ url: later });
  await grow(grown, ROWS, ROWS + 40);
  await new LedgerTree({
    store: ledgerTree(grown),
    signer,
    clock: { now: () => NOW },
    log: SILENT,
  }).checkpoint();
  await grown.close();
  const newest = at('newest.txt');
  assert.equal((await ipo(['ledger', 'checkpoint', '--database', later, '--save', newest])).code, 0);

  const target = `sqlite:${at('lost.db')}`;
  const restore = ['backup', 'restore', old, '--database', target, '--checkpoint', newest];
  const refused = await ipo(restore);
  assert.equal(refused.code, 4);
  assert.match(refused.err, /40 rows would be lost/);
  assert.equal(existsSync(at('lost.db')), false);
  const config = at('anchored.json');
  const anchors = [{ kind: 'file', path: newest }];
  writeFileSync(config, JSON.stringify({ data: at('anchored'), ledger: { anchors } }));
  const anchored = ['backup', 'restore', old, '--config', config];
  const held = await ipo(anchored);
  assert.equal(held.code, 4, 'an anchor is held against it as a checkpoint is');
  assert.match(held.err, /is kept in the anchor file:.* 40 rows would be lost/);
  assert.equal((await ipo([...anchored, '--lost-rows'])).code, 0);
  assert.equal((await ipo([...restore, '--lost-rows'])).code, 0);

  const opened = await openStore({ url: target });
  const origin = await successorOrigin(opened);
  assert.match(origin ?? '', new RegExp(`^${signer.name}/restored-[a-z2-7]{8}$`));
  const successor = { ...signer, ...toSigner(origin ?? '', pemOf()) };
  await grow(opened, ROWS, ROWS + 5);
  await new LedgerTree({
    store: ledgerTree(opened),
    signer: successor,
    clock: { now: () => NOW },
    log: SILENT,
  }).checkpoint();
  await opened.close();
  const verified = await ipo([
    'ledger',
    'verify',
    '--database',
    target,
    '--checkpoint',
    at('kept.txt'),
    '-o',
    'json',
  ]);
  assert.equal(verified.code, 0, verified.out);
  const { checks } = JSON.parse(verified.out) as { checks: { check: string; text: string }[] };
  assert.match(checks.find(({ check }) => check === 'lost_rows')?.text ?? '', /rows 701 to 740 of the log/);
  const against = await ipo(['ledger', 'verify', '--database', target, '--checkpoint', newest]);
  assert.equal(against.code, 4);
  assert.match(against.out, /goes on without them/);
});

function pemOf(): string {
  return `-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPP\n-----END PRIVATE KEY-----\n`;
}

test('nothing is moved while a service works on the database', async () => {
  const folder = at('working');
  mkdirSync(folder);
  const from = `sqlite:${folder}/ipo.db`;
  assert.equal((await ipo(['backup', 'move', '--from', url, '--to', from])).code, 0);
  const unlock = lockFile(`${folder}/service.lock`);
  const to = `sqlite:${at('never.db')}`;
  const locked = await ipo(['backup', 'move', '--from', from, '--to', to]);
  assert.equal(locked.code, 3);
  assert.match(locked.err, /is locked/);
  unlock();
  const opened = await openStore({ url: from });
  await opened.write(async (transaction) => {
    await run(
      transaction,
      sql`insert into replicas (name, cluster, life, started_at, seen_at, waiting_rows) values ('ipo-0', '', 1, 1, ${Date.now()}, 0)`,
    );
  });
  await opened.close();
  const reported = await ipo(['backup', 'move', '--from', from, '--to', to]);
  assert.equal(reported.code, 3);
  assert.match(reported.err, /replica ipo-0 is at work/);
  assert.equal(existsSync(at('never.db')), false);
});

test('nothing is moved while a leader holds the Lease of the cluster', async (t) => {
  const fake = new FakeApiServer();
  const server = await fake.listen();
  t.after(() => fake.close());
  const api = new KubernetesApi(plainConnection(server), 'test');
  t.after(() => api.close());
  const lease = leaseStore(api, 'ipo-system', 'image-policy-operator');
  const held = { holder: 'ipo-1', durationSeconds: 15, transitions: 0 };
  const timeOf = (at: number) => ({ acquiredAt: microTime(at), renewedAt: microTime(at) });
  const first = await lease.create({ ...held, ...timeOf(Date.now()) }, 5000);
  const [kubeconfig, config] = [at('kubeconfig'), at('clustered.json')];
  writeFileSync(kubeconfig, kubeconfigOf(server));
  const cluster = { kubeconfig, namespace: 'ipo-system' };
  writeFileSync(config, JSON.stringify({ data: at('clustered'), cluster }));
  mkdirSync(at('clustered'));
  const from = `sqlite:${at('clustered/ipo.db')}`;
  assert.equal((await ipo(['backup', 'move', '--from', url, '--to', from])).code, 0);
  const move = ['backup', 'move', '--config', config, '--to', `sqlite:${at('led.db')}`];
  const refused = await ipo(move);
  assert.equal(refused.code, 3);
  assert.match(refused.err, /the operator ipo-1 is at work in the cluster: it holds the Lease/);
  assert.equal(existsSync(at('led.db')), false);
  await lease.replace({ ...held, ...timeOf(Date.now() - 60_000) }, first?.version ?? '', 5000);
  const moved = await ipo(move);
  assert.equal(moved.code, 0, moved.err);
});

test('no two restores make one marker', () => {
  const key = Buffer.alloc(32, 3);
  const made = [null, 'aaaaaaaa', 'bbbbbbbb'].map((epoch) => openMarkers(key, 'x', epoch).issue('c', 1, 1));
  assert.equal(new Set(made).size, 3);
});

test('a restore that fails leaves nothing of its own in the directory of the service', async () => {
  writeFileSync(at('no-backup.txt'), 'hello\n');
  const fails = async (directory: string) => {
    const { code, err } = await ipo(['backup', 'restore', at('no-backup.txt'), '--data', directory]);
    assert.equal(code, 2, err);
  };
  await fails(at('new/data'));
  assert.ok(!existsSync(at('new')), 'neither the directory nor those above it');
  mkdirSync(at('there'));
  await fails(at('there'));
  assert.deepEqual(readdirSync(at('there')), []);
  writeFileSync(at('there/service.lock'), '');
  await fails(at('there'));
  assert.deepEqual(readdirSync(at('there')), ['service.lock'], 'the lock of a service is left');
});

test('a file that is not a backup is refused as that', async () => {
  writeFileSync(at('text.txt'), 'hello\n');
  for (const file of [at('text.txt'), at('ledger.db'), at('whole.ndjson.zst')]) {
    const { code, err } = await ipo(['backup', 'verify', file]);
    assert.equal(code, 2, err);
    assert.match(err, /is not a backup of ipo/);
  }
  assert.equal((await ipo(['backup', 'verify', at('absent')])).code, 3);
});
