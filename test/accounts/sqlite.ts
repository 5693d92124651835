import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext } from 'node:test';
import { openStore, type Store } from '../../src/store/index.ts';

let folder: string | null = null;
let template: Promise<string> | null = null;
let count = 0;

async function makeTemplate(): Promise<string> {
  folder = mkdtempSync(join(tmpdir(), 'ipo-accounts-'));
  const file = join(folder, 'template.db');
  await (await openStore({ url: `sqlite:${file}` })).close();
  return file;
}

/** openSqlite opens a fresh migrated database, for tests of doors that need one engine; it ends with the test. */
export async function openSqlite(t: TestContext): Promise<{ readonly store: Store; readonly url: string }> {
  const from = await (template ??= makeTemplate());
  const file = `${from}.${++count}`;
  copyFileSync(from, file);
  const url = `sqlite:${file}`;
  const store = await openStore({ url });
  t.after(() => store.close());
  return { store, url };
}

after(() => {
  if (folder !== null) rmSync(folder, { recursive: true, force: true });
});
