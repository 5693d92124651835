import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readBackup, writeBackup, type Written } from '../../src/backup/index.ts';
import { fillDatabase, withSnapshot } from '../../src/store/backup/index.ts';
import { openStore } from '../../src/store/engine/open.ts';
import { contentHash } from './content.ts';
import { forEachEngine, sqlite, type TestEngine } from './engines.ts';
import { makeRelease, NOW, RELEASES } from './releases.ts';

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

forEachEngine(
  'a backup',
  (engine) => {
    for (const release of RELEASES)
      test(`of release ${release} restores into both engines, and is what an upgrade leaves`, async () => {
        const url = await engine.empty();
        await makeRelease(url, release);
        const first = await saved(url);
        for (const target of new Set<TestEngine>([sqlite, engine])) {
          const restored = await target.empty();
          await fillDatabase(restored, readBackup(once(first.bytes), 'backup'), {
            name: 'backup',
            now: () => NOW,
          });
          const again = await saved(restored);
          const upgraded = await target.empty();
          await fillDatabase(upgraded, readBackup(once(again.bytes), 'backup'), {
            name: 'backup',
            now: () => NOW,
          });
          assert.deepEqual((await saved(upgraded)).written.tables, again.written.tables);
          assert.equal(await hashOf(restored), await hashOf(url));
        }
      });
  },
  { concurrency: 4 },
);
