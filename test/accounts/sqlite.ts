import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, type TestContext } from 'node:test';
import { openStore, type Store } from '../../src/store/index.ts';
import { scratchFolder, sqliteTemplate } from '../store/templates.ts';

let folder: string | null = null;
let template: Promise<string> | null = null;
let count = 0;

/** openSqlite opens a fresh migrated database, for tests of doors that need one engine; it ends with the test. */
export async function openSqlite(t: TestContext): Promise<{ readonly store: Store; readonly url: string }> {
  folder ??= scratchFolder();
  const file = join(folder, `${++count}.db`);
  copyFileSync(await (template ??= sqliteTemplate(folder)), file);
  const url = `sqlite:${file}`;
  const store = await openStore({ url });
  t.after(() => store.close());
  return { store, url };
}

after(() => {
  if (folder !== null) rmSync(folder, { recursive: true, force: true });
});
