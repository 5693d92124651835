import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import { runText } from '../../src/store/sql/dialect.ts';
import { beginHistory } from '../../src/store/history/records.ts';
import { openStore } from '../../src/store/engine/open.ts';
import { dropLeftStaged } from '../../src/store/scans/staged-findings.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { joinProgram } from '../joined-program.ts';
import { runs } from '../runs.ts';
import { forEachEngine } from './engines.ts';

const MAIN = join(import.meta.dirname, 'reports-process.ts');

/** Records reports until it is killed, some milliseconds after it began. */
async function killed(url: string, round: number, after: number): Promise<void> {
  const { file, env } = await joinProgram(MAIN);
  const child = spawn(process.execPath, [file, url, String(round)], {
    ...{ env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] },
  });
  await once(child.stdout, 'data');
  await sleep(after);
  child.kill('SIGKILL');
  const [, by] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  assert.equal(by, 'SIGKILL');
}

/** Rows that two statements do not have in common. */
async function differences(store: Store, one: string, other: string): Promise<unknown[]> {
  const text = `select * from (${one} except ${other}) as more union all select * from (${other} except ${one}) as less`;
  return runText(store.read, text, []);
}

forEachEngine('a process that records large reports', (engine) => {
  test('leaves whole scans, and totals and history that follow from them, wherever it is killed', async (t) => {
    const url = await engine.migrated();
    const store = await openStore({ url });
    t.after(() => store.close());
    for (let round = 0; round < runs(3); round += 1) {
      await killed(url, round, (round * 83) % 400);
      await beginHistory(store, Date.now());
      await dropLeftStaged(store, Infinity);
      const left = await runText(store.read, `select key from settings where key like 'findings.%'`, []);
      assert.deepEqual(left, []);
      const loose = await runText(
        store.read,
        'select s.id from findings f join scans s on s.id = f.scan_id where s.current = 0 limit 1',
        [],
      );
      assert.deepEqual(loose, [], 'findings of a scan that nobody uses');
      const images = await runText<{ digest: string; facts: string; found: number }>(
        store.read,
        `select i.digest, i.facts, (select count(*) from findings f join scans s on s.id = f.scan_id where s.digest = i.digest) as found
         from images i where i.facts is not null`,
        [],
      );
      for (const { digest, facts, found } of images) {
        const { scan } = JSON.parse(facts) as { scan: { findings: unknown[] } };
        assert.equal(scan.findings.length, found, digest);
      }
      assert.deepEqual(
        await differences(
          store,
          'select cve, images from cve_totals',
          'select cve, count(distinct scan_id) as images from findings group by cve',
        ),
        [],
      );
      assert.deepEqual(
        await differences(
          store,
          `select i.digest, h.cve from finding_history h join history_images i on i.id = h.image
             where h.ended_at is null and h.unreported_at is null`,
          'select s.digest, f.cve from findings f join scans s on s.id = f.scan_id group by s.digest, f.cve',
        ),
        [],
      );
    }
  });
});
