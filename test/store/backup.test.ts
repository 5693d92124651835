import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readBackup, writeBackup, type Written } from '../../src/backup/index.ts';
import { fillDatabase, withSnapshot } from '../../src/store/backup/index.ts';
import { openStore } from '../../src/store/engine/open.ts';
import { contentHash } from './content.ts';
import { forEachEngine, sqlite } from './engines.ts';
import { levelOf, makeLevel, NOW, RELEASES } from './releases.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { TORTURE, turns } from '../runs.ts';

/** saved gives a backup of a database in memory. */
async function saved(url: string): Promise<{ readonly bytes: Buffer; readonly written: Written }> {
  const chunks: Uint8Array[] = [];
  let written: Written | null = null;
  await withSnapshot(url, { created_at: NOW, program: 'test' }, async (source) => {
    for await (const chunk of writeBackup(source, null, (done) => (written = done))) chunks.push(chunk);
  });
  assert.ok(written !== null);
  return { bytes: Buffer.concat(chunks), written };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000);
}

async function hashOf(url: string): Promise<string> {
  const store = await openStore({ url, now: () => NOW });
  try {
    return await contentHash(store.read);
  } finally {
    await store.close();
  }
}

/** Making a schema takes a server seconds: it restores an early backup and the newest one, of either engine. */
const ON_POSTGRES: readonly string[] = ['1.0.0', RELEASES.at(-1) ?? ''];

/** This share of all that a release has left or can leave, on both engines. */
function everyLevel(): readonly number[] {
  const first = levelOf(RELEASES[0] ?? '');
  const { from, until } = turns(0, MIGRATIONS.length - first + 1);
  return Array.from({ length: until - from }, (_, i) => first + from + i);
}

forEachEngine(
  'a backup',
  (engine) => {
    const releases =
      engine.name === 'sqlite' ? RELEASES : RELEASES.filter((one) => ON_POSTGRES.includes(one));
    for (const level of TORTURE ? everyLevel() : releases.map(levelOf))
      test(`after migration ${level} restores into both engines, and is what an upgrade leaves`, async () => {
        const url = await engine.empty();
        await makeLevel(url, level);
        const first = await saved(url);
        const restored = await engine.empty();
        await restore(restored, first.bytes);
        const again = await saved(restored);
        const other = await sqlite.empty();
        await restore(other, again.bytes);
        assert.deepEqual((await saved(other)).written.tables, again.written.tables);
        assert.equal(await hashOf(other), await hashOf(url));
        if (engine === sqlite) return;
        const back = await engine.empty();
        await restore(back, (await saved(other)).bytes);
        assert.deepEqual((await saved(back)).written.tables, again.written.tables);
      });
  },
  { concurrency: 4 },
);

async function restore(url: string, bytes: Uint8Array): Promise<void> {
  await fillDatabase(url, readBackup(once(bytes), 'backup'), { name: 'backup', now: () => NOW });
}
