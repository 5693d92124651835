import assert from 'node:assert/strict';
import { fork, type ChildProcess } from 'node:child_process';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, test } from 'node:test';
import { build } from 'esbuild';
import { gunzipSync } from 'node:zlib';
import { DAY_MS, parseTime, randomLetters } from '../../src/base/index.ts';
import { toRequest, verifyPackage, type KeptPackage } from '../../src/evidence/index.ts';
import { openStore, packageStore, type Store } from '../../src/store/index.ts';
import { importExport } from '../../src/store/ledger/import.ts';
import { counted, turns } from '../runs.ts';
import { forEachEngine } from '../store/engines.ts';
import { openWhole, treeOf } from '../store/made-ledger.ts';
import { openBytesPackage } from './open-bytes.ts';

const SHOP = gunzipSync(
  readFileSync(new URL('../../fixtures/ledger/shop.ndjson.gz', import.meta.url)),
).toString('utf8');
const TO = parseTime('2026-11-20T06:00:00Z');
const folder = mkdtempSync(join(tmpdir(), 'ipo-evidence-kill-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const keyFile = join(folder, 'key.pem');
writeFileSync(
  keyFile,
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
);

// As the package emits them, since the sources take longer to start than a package to make.
await build({
  entryPoints: [
    join(import.meta.dirname, 'maker-process.ts'),
    join(import.meta.dirname, '../../daemon/evidence-worker.ts'),
  ],
  outdir: folder,
  entryNames: '[name]',
  outExtension: { '.js': '.cjs' },
  bundle: true,
  platform: 'node',
  format: 'cjs',
  packages: 'external',
  define: { 'import.meta.dirname': '__dirname' },
  logLevel: 'error',
});
symlinkSync(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'));

/** What is killed, or stopped in the middle and let go on once another replica took over. */
const DEATHS = ['the replica', 'its process', 'a process that stands still'] as const;

function startReplica(url: string, name: string): ChildProcess {
  const task = {
    ...{ url, keyFile, silence: 1500, scratch: join(folder, name), stamped: false },
    place: {
      ...{ organisation: { name: null, contact: null }, publicUrl: null, cluster: null },
      ...{ coldImagePolicy: 'AllowAndScan', exemptNamespaces: [], version: '0.0.0' },
    },
  };
  return fork(join(folder, 'maker-process.cjs'), [JSON.stringify(task)], { stdio: 'inherit' });
}

/** The process that a replica has started to make a package. */
function makerOf({ pid }: ChildProcess): number | null {
  const [first] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  return first === undefined || first === '' ? null : Number(first);
}

const isThere = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

/** Waits for something, for a minute. */
async function until<T>(ask: () => Promise<T | null> | T | null): Promise<T> {
  for (let turn = 0; turn < 6000; turn += 1) {
    const found = await ask();
    if (found !== null) return found;
    await sleep(10);
  }
  throw new Error('it did not come');
}

/** Asks for a package of the last days, so that no two are equal. */
async function ask(store: Store, days: number): Promise<string> {
  const id = randomLetters(16);
  const request = toRequest({ from: TO - days * DAY_MS, to: TO, frameworks: ['soc2'] }, Date.now());
  await packageStore(store).add({ id, accountId: 'a'.repeat(16), createdAt: Date.now(), request }, 20);
  return id;
}

const ended = (store: Store, id: string): Promise<KeptPackage> =>
  until(async () => {
    const found = await packageStore(store).get(id);
    return found?.state === 'done' || found?.state === 'failed' ? found : null;
  });

async function archiveOf(store: Store, id: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of packageStore(store).pieces(id)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

forEachEngine('packages whose makers are killed', (engine) => {
  test('each is whole in the end, once, and nothing is offered before', async (t) => {
    if (process.platform !== 'linux') return t.skip('the processes of a process are read from /proc');
    const url = await engine.migrated();
    const store = await openStore({ url });
    t.after(() => store.close());
    await importExport(store, await openWhole(SHOP), { at: TO });
    await treeOf(store);
    const replicas: ChildProcess[] = [];
    t.after(() => replicas.forEach((one) => one.kill('SIGKILL')));
    const start = (): ChildProcess => {
      const replica = startReplica(url, `${engine.name}-${replicas.length}`);
      replicas.push(replica);
      return replica;
    };
    // One that lives on makes the next package: starting one costs half of what making one does.
    let first = start();
    // How long one takes that nobody disturbs.
    const began = performance.now();
    assert.equal((await ended(store, await ask(store, 20))).state, 'done');
    const whole = performance.now() - began;
    const { from, until: end } = turns(DEATHS.length, 30);
    for (let turn = from; turn < end; turn += 1) {
      const death = DEATHS[turn % DEATHS.length];
      const id = await ask(store, 5 + (turn % 20));
      const maker = await until(() => makerOf(first));
      await sleep(((turn * 7919) % 1000) * (whole / 1000));
      // It may have ended just now: then another turn comes earlier.
      if (death !== 'the replica' && isThere(maker))
        process.kill(maker, death === 'its process' ? 'SIGKILL' : 'SIGSTOP');
      if (death !== 'its process') first.kill('SIGKILL');
      const offered = await archiveOf(store, id);
      const state = (await packageStore(store).get(id))?.state;
      assert.ok(offered.length === 0 || state === 'done', 'nothing is offered before it is whole');
      const second = death === 'its process' ? first : start();
      const kept = await ended(store, id);
      assert.equal(kept.state, 'done', `${death}, turn ${turn}: ${kept.error}`);
      if (isThere(maker)) {
        process.kill(maker, 'SIGCONT');
        await until(() => (isThere(maker) ? null : true));
      }
      const bytes = await archiveOf(store, id);
      assert.equal(createHash('sha256').update(bytes).digest('hex'), kept.sha256, `${death}, turn ${turn}`);
      const pkg = await openBytesPackage(bytes);
      const { holds, checks } = await verifyPackage(pkg, { keys: [], ledgerKeys: [], kept: [] });
      assert.ok(holds, JSON.stringify(checks));
      assert.deepEqual(await packageStore(store).get(id), kept, 'and it stays as it is');
      first = second;
    }
    await packageStore(store).prune(-Infinity);
    const left = await store.read
      .selectFrom('evidence_pieces as p')
      .innerJoin('evidence_packages as e', 'e.id', 'p.package_id')
      .whereRef('e.attempt', '!=', 'p.attempt')
      .select('p.number')
      .execute();
    assert.deepEqual(left, [], 'pieces of tries that were given up are gone');
    counted(t, { kills: end - from });
  });
});
