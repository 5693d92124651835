import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { recompute, verifyPackage } from '../../src/evidence/index.ts';
import { runs } from '../runs.ts';
import { openBytesPackage, tableOf, unzip } from './open-bytes.ts';
import { oracle, type OracleInput } from './oracle.ts';
import { FROM, NOW, packageOf, sourceOf, TO, worlds } from './source.ts';

test('a second computation, verify and recompute agree on packages of random services', async () => {
  await fc.assert(
    fc.asyncProperty(worlds, async (world) => {
      const bytes = await packageOf(sourceOf(world));
      const files = unzip(bytes);
      const document = JSON.parse(String(files.get('evidence.json'))) as {
        attestations: { id: string; state: string; population: number; passed: number }[];
        ledger: {
          rows: number;
          signed: number;
          verified: boolean;
          anchors: { size: number; refused: string | null }[];
        };
        coverage: { days: OracleInput['days'] };
      };
      const lines = gunzipSync(files.get('admissions.ndjson.gz') as Buffer)
        .toString()
        .trim()
        .split('\n');
      const parsed = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
      const names = [
        'issues.csv',
        'vulnerabilities.csv',
        'triage.csv',
        'break-glass.csv',
        'pods.csv',
        'images.csv',
      ];
      const expected = oracle({
        from: FROM,
        to: TO,
        madeAt: NOW,
        rows: parsed.filter(({ type }) => type === 'row'),
        policies: parsed.filter(({ type }) => type === 'policy') as unknown as OracleInput['policies'],
        tables: Object.fromEntries(names.map((name) => [name, tableOf(files.get(name)?.toString())])),
        exempt: ['kube-system'],
        tracker: world.tracker,
        days: document.coverage.days,
        detectorSince: world.detectorSince,
        sweptSince: world.sweptSince,
        anchors: Array.isArray(document.ledger.anchors) ? document.ledger.anchors : null,
        ledger: {
          rows: document.ledger.rows,
          signed: document.ledger.signed,
          holds: document.ledger.verified,
        },
        rescanHours: 24,
      });
      const found = Object.fromEntries(
        document.attestations.map(({ id, state, population, passed }) => [id, { state, population, passed }]),
      );
      assert.deepEqual(found, expected);
      const again = await recompute(await openBytesPackage(bytes), '0.0.0');
      assert.deepEqual(again.differences, []);
      const verified = await verifyPackage(await openBytesPackage(bytes), {
        keys: [],
        ledgerKeys: [],
        kept: [],
      });
      assert.equal(verified.holds, true, JSON.stringify(verified.checks));
      assert.deepEqual(await packageOf(sourceOf(world)), bytes);
    }),
    { numRuns: runs(20, 15), endOnFailure: true },
  );
});
