import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { build } from 'esbuild';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { turns } from '../runs.ts';
import { contentHash } from './content.ts';
import { forEachEngine, type TestEngine } from './engines.ts';
import { levelOf, makeRelease, migrateTo, NOW, openRaw, seed } from './releases.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'ipo-migrate-'));
const program = join(folder, 'migrate-process.cjs');
after(() => rmSync(folder, { recursive: true, force: true }));

// In one file it starts three times as fast, and many are started.
await build({
  entryPoints: [join(import.meta.dirname, 'migrate-process.ts')],
  outfile: program,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  external: ['better-sqlite3', 'pg-native'],
  logLevel: 'error',
});

interface Ended {
  readonly signal: string | null;
  readonly applied: readonly string[];
}

function run(url: string, env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  return new Promise((settle, fail) => {
    const child = spawn(process.execPath, [program, url], {
      env: { ...process.env, NODE_PATH: join(ROOT, 'node_modules'), CLOCK: String(NOW), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk) => (out += String(chunk)));
    child.stderr.on('data', (chunk) => (err += String(chunk)));
    child.on('error', fail);
    child.on('close', (code, signal) => {
      if (code !== 0 && signal === null) fail(new Error(`it failed: ${err}`));
      else settle({ signal, applied: signal === null ? (JSON.parse(out) as string[]) : [] });
    });
  });
}

async function hashOf(url: string): Promise<string> {
  const db = await openRaw(url);
  try {
    return await contentHash(db);
  } finally {
    await db.destroy();
  }
}

forEachEngine('processes that migrate', (engine) => {
  test('three that start at once apply each migration exactly once, together', async () => {
    const url = await engine.empty();
    await makeRelease(url, '0.2.0');
    const ended = await Promise.all([run(url), run(url), run(url)]);
    const applied = ended.flatMap((process) => process.applied);
    const due = MIGRATIONS.slice(levelOf('0.2.0')).map(({ name }) => name);
    assert.deepEqual(applied.toSorted(), due);

    const alone = await engine.empty();
    await makeRelease(alone, '0.2.0');
    await run(alone);
    assert.equal(await hashOf(url), await hashOf(alone));
  });

  const rounds = turns(1, 50);
  for (let round = rounds.from + 1; round <= rounds.until; round += 1) {
    test(`kill -9 inside of each leaves it whole or absent, and the next start finishes (${round})`, async () => {
      const levels = await referenceLevels(engine);
      const url = await engine.empty();
      const random = randomFrom(round);
      for (const [i, { name }] of MIGRATIONS.entries()) {
        const ended = await run(url, { CRASH: `${name}:${Math.floor(random() * 12)}` });
        assert.equal(ended.signal, 'SIGKILL', name);
        assert.equal(await hashOf(url), levels[i], `${name} is absent, and what was before it whole`);
        if (i === SEED_AT - 1) await seedAt(url);
      }
      assert.deepEqual((await run(url)).applied, [MIGRATIONS.at(-1)?.name]);
      assert.equal(await hashOf(url), levels.at(-1));
    });
  }
});

/** After the migrations of 0.1.0 there are tables to hold data. */
const SEED_AT = levelOf('0.1.0');

/** The step that was killed is done first, so that there is something to put the data into. */
async function seedAt(url: string): Promise<void> {
  await run(url, { UP_TO: String(SEED_AT) });
  const db = await openRaw(url);
  await db.transaction().execute((transaction) => seed(transaction, SEED_AT));
  await db.destroy();
}

/** What a database holds before the first migration, and after each: the data of 0.1.0 stands in it from then on. */
async function referenceLevels(engine: TestEngine): Promise<string[]> {
  const db = await openRaw(await engine.empty());
  const levels = [await contentHash(db)];
  for (let level = 1; level <= MIGRATIONS.length; level += 1) {
    await migrateTo(db, level);
    if (level === SEED_AT) await db.transaction().execute((transaction) => seed(transaction, SEED_AT));
    levels.push(await contentHash(db));
  }
  await db.destroy();
  return levels;
}

/** Numbers from 0 to 1, the same for the same seed. */
function randomFrom(start: number): () => number {
  let state = start * 2_654_435_761;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) >>> 0;
    return state / 2 ** 32;
  };
}
