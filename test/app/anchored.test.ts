import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { HealthBody } from '../../src/api/contract/health.ts';
import type { LedgerBody } from '../../src/api/contract/ledger.ts';
import { signCheckpoint } from '../../src/ledger/index.ts';
import { entriesFrom, makeSigner } from '../ledger/grown.ts';
import { scratchDirectory, startRunning } from './running.ts';

test('a service whose ledger is not the one that was anchored says so, counts it, and goes on recording', async (t) => {
  const path = join(scratchDirectory(t), 'anchor.txt');
  const origin = 'ipo.example/ledger/before';
  const kept = signCheckpoint(
    { origin, size: 673, root: 'x'.repeat(32), extensions: [] },
    makeSigner(origin),
  );
  writeFileSync(path, kept);
  const running = await startRunning(t, {
    env: {
      IPO_LEDGER_ANCHORS: JSON.stringify([{ kind: 'file', path }]),
      IPO_LEDGER_ORIGIN: 'ipo.example/now',
    },
  });
  const { service } = running;
  const refusals = async (): Promise<number> => {
    const text = await (await fetch(`${running.url}/metrics`)).text();
    const series = `svc_ledger_refused_checkpoints_total{anchor="file:${path}",reason="other_log"} `;
    const line = text.split('\n').find((one) => one.startsWith(series));
    return Number(line?.slice(series.length) ?? Number.NaN);
  };
  const before = await refusals();
  assert.ok(before >= 0, 'the series is there before the first refusal, so that its increase shows');
  const [entry] = entriesFrom(1, 1);
  assert.ok(entry);
  await service.append.append(entry);
  await service.checkpoint();
  // The series are made at most once a second.
  while ((await refusals()) <= before) await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal(readFileSync(path, 'utf8'), kept);

  const viewer = running.as('viewer');
  const { body } = await viewer.json<HealthBody>('GET /system/health');
  const sentence = `it holds a checkpoint of 673 rows of another log, ${origin}; this ledger is ipo.example/now`;
  assert.equal(body.status, 'degraded');
  assert.equal(body.ledger.message, `the ledger is not the one that was anchored: file:${path}: ${sentence}`);
  assert.deepEqual(
    body.ledger.anchors.map((anchor) => ({ ...anchor, tried_at: undefined })),
    [
      {
        name: `file:${path}`,
        status: 'degraded',
        size: 0,
        refused: 'other_log',
        message: sentence,
        tried_at: undefined,
      },
    ],
  );
  const { body: ledger } = await viewer.json<LedgerBody>('GET /ledger');
  assert.deepEqual([ledger.rows, ledger.anchors[0]?.refused], [1, 'other_log']);
  const error = running.log.find((line) => line.includes('The ledger is not published'));
  assert.match(error ?? '', /"level":"error".*other_log/);
});
