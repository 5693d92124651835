import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { readBackup } from '../../src/backup/index.ts';
import { isIpoError } from '../../src/base/index.ts';
import { fillDatabase, openStore, refuseUnlessEmpty } from '../../src/store/index.ts';
import { joinProgram } from '../joined-program.ts';
import { counted, runs, turns } from '../runs.ts';
import { contentHash } from '../store/content.ts';
import { forEachEngine, sqlite, type TestEngine } from '../store/engines.ts';
import { makeRelease, NOW, RELEASES } from '../store/releases.ts';

const folder = mkdtempSync(join(tmpdir(), 'ipo-backup-kill-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const program = await joinProgram(join(import.meta.dirname, 'kill-process.ts'));

/** Runs the program; gives how many statements it made, null where it was killed. */
function run(args: readonly string[], kill: number | null): Promise<number | null> {
  return new Promise((settle, fail) => {
    const child = spawn(process.execPath, [program.file, ...args], {
      env: { ...process.env, ...program.env, ...(kill !== null && { KILL: String(kill) }) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk) => (out += String(chunk)));
    child.stderr.on('data', (chunk) => (err += String(chunk)));
    child.on('error', fail);
    child.on('close', (code, signal) => {
      if (signal === 'SIGKILL') settle(null);
      else if (code === 0) settle(Number(out));
      else fail(new Error(`it failed: ${err}`));
    });
  });
}

async function* bytesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 4096) yield bytes.subarray(at, at + 4096);
}

/** Why a backup does not restore; null where it does. */
async function faultOf(bytes: Uint8Array): Promise<string | null> {
  try {
    for await (const _ of readBackup(bytesOf(bytes), 'it'));
    return null;
  } catch (error) {
    if (!isIpoError(error)) throw error;
    return error.code;
  }
}

async function hashOf(url: string): Promise<string> {
  const store = await openStore({ url, readOnly: true });
  try {
    return await contentHash(store.read);
  } finally {
    await store.close();
  }
}

const source = await sqlite.empty();
await makeRelease(source, RELEASES.at(-1) ?? '');
await (await openStore({ url: source, now: () => NOW })).close();
const FILE = join(folder, 'whole.ipobackup');
await run(['create', source, FILE], null);
const WHOLE = readFileSync(FILE);
const SAVED = await hashOf(source);

test('any byte of a backup that is another one is found, and so is any end that is missing', async () => {
  assert.equal(await faultOf(WHOLE), null);
  await fc.assert(
    fc.asyncProperty(
      fc.nat({ max: WHOLE.length - 1 }),
      fc.integer({ min: 1, max: 255 }),
      fc.boolean(),
      async (place, by, cut) => {
        const changed = cut ? WHOLE.subarray(0, place) : Buffer.from(WHOLE);
        if (!cut) changed[place] = (changed[place] ?? 0) ^ by;
        const fault = await faultOf(changed);
        assert.ok(fault === 'integrity' || fault === 'format', String(fault));
      },
    ),
    { numRuns: runs(100, 40) },
  );
});

/** Places to kill at, spread over the statements of an act. */
function places(statements: number, usual: number): readonly number[] {
  const { from, until } = turns(usual, 100);
  const all = Math.max(usual, 100);
  return Array.from({ length: until - from }, (_, i) => {
    const turn = (from + i) * (until - from === usual ? all / usual : 1);
    return 1 + Math.floor((turn * statements) / all);
  });
}

const USUAL: Readonly<Record<TestEngine['name'], number>> = { sqlite: 10, postgres: 2 };

forEachEngine('a process that is killed', (engine) => {
  const usual = USUAL[engine.name];

  test('while it makes a backup leaves none that verifies and is not whole', async (t) => {
    const from = engine === sqlite ? source : await engine.empty();
    if (engine !== sqlite) await run(['restore', FILE, from], null);
    const wanted = await run(['create', from, join(folder, 'all.ipobackup')], null);
    let killed = 0;
    for (const place of places(wanted ?? 1, usual)) {
      const out = join(folder, `${engine.name}-${place}.ipobackup`);
      if ((await run(['create', from, out], place)) === null) killed += 1;
      if (existsSync(out)) assert.equal(await faultOf(readFileSync(out)), null, `killed at ${place}`);
    }
    assert.ok(killed > 0);
    counted(t, { kills: killed });
  });

  for (const act of ['restore', 'move'] as const)
    test(`while it does a ${act} leaves an empty database, or a whole one`, async (t) => {
      const from = act === 'restore' ? FILE : source;
      const wanted = await run([act, from, await engine.empty()], null);
      let killed = 0;
      for (const place of places(wanted ?? 1, usual)) {
        const to = await engine.empty();
        if ((await run([act, from, to], place)) !== null) continue;
        killed += 1;
        try {
          await refuseUnlessEmpty(to);
        } catch {
          // Killed after its commit: a move has everything, and a restore its marks besides.
          if (act === 'move') assert.equal(await hashOf(to), SAVED, `killed at ${place}`);
          else assert.match(await hashOf(to), /^[0-9a-f]{64}$/);
          continue;
        }
        await fillDatabase(to, readBackup(bytesOf(WHOLE), 'it'), { name: 'it', now: () => NOW });
        assert.equal(await hashOf(to), SAVED);
      }
      assert.ok(killed > 0);
      counted(t, { kills: killed });
    });
});
