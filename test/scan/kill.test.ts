import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { CLAIM_MS } from '../../src/scan/index.ts';
import { openStore } from '../../src/store/engine/open.ts';
import { scanQueue } from '../../src/store/scans/queue.ts';
import { runs } from '../runs.ts';
import { append, AT, digestOf, rowsOf } from '../store/image-records.ts';
import { noData, realReport, standInAt, type StandIn } from './stand-in-trivy.ts';

const MAIN = join(import.meta.dirname, 'worker-process.ts');
const IMAGES = 12;

interface Killed {
  readonly by: NodeJS.Signals | null;
  readonly code: number | null;
}

/** Runs a worker until so many scans were begun, and kills it there; null lets it end. */
function work(url: string, standIn: StandIn, at: number, killAfter: number | null): Promise<Killed> {
  const begun = standIn.scans().length;
  const child = spawn(process.execPath, [MAIN, url, standIn.program, standIn.directory, String(at)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return new Promise((done) => {
    let look: NodeJS.Timeout | null = null;
    if (killAfter !== null)
      look = setInterval(() => {
        if (standIn.scans().length - begun >= killAfter) child.kill('SIGKILL');
      }, 5);
    child.once('exit', (code, by) => {
      if (look !== null) clearInterval(look);
      done({ by, code });
    });
  });
}

test('a service that is killed in the middle of scans loses none of them', { skip: noData }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ipo-kill-'));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const url = `sqlite:${join(folder, 'ipo.db')}`;
  const report = realReport('golden/alpine-310.json');
  const standIn = standInAt(folder, { report, mode: 'slow', delay: 30 });
  const digests = Array.from({ length: IMAGES }, (_, n) => digestOf(n + 1));
  const store = await openStore({ url });
  t.after(() => store.close());
  await append(
    store,
    digests.map((digest) => ({ digest })),
  );
  await scanQueue(store).request(digests, null, AT);

  let at = AT;
  let killed = 0;
  for (let round = 0; round < runs(4); round += 1) {
    const { by } = await work(url, standIn, at, 1 + (round % 3));
    if (by === 'SIGKILL') killed += 1;
    // What it held is free again after its time.
    at += CLAIM_MS;
  }
  assert.ok(killed > 0);
  const last = await work(url, standIn, at, null);
  assert.equal(last.code, 0);

  assert.deepEqual(await rowsOf(store, 'select digest from scan_queue'), []);
  const scans = await rowsOf(
    store,
    'select s.digest, count(*) as found from scans s join findings f on f.scan_id = s.id where s.current = 1 group by s.digest order by s.digest',
  );
  assert.deepEqual(
    scans.map(({ digest }) => digest),
    digests,
  );
  assert.equal(new Set(scans.map(({ found }) => found)).size, 1);
  assert.ok(Number(scans[0]?.['found']) > 0);
  assert.deepEqual(readdirSync(join(standIn.directory, 'work')), [], 'nothing is left lying about');
});
