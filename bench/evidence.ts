import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAKER_FLAGS } from '../src/app/evidence/child.ts';
import { formatTime } from '../src/base/index.ts';
import { benchEvidenceWebhook } from './evidence-webhook.ts';
import { buildStore, ENDS_AT, newKey } from './ledger-store.ts';
import type { Line } from './parted-load.ts';

interface Measured {
  readonly ms: number;
  readonly rss: number;
}

const ROUNDS = 3;
const FROM = '2026-10-01T00:00:00Z';

/** Runs a command of the built package, since sources take memory of their own to be read. */
function measure(...args: string[]): Measured {
  // As the service starts the process that makes packages.
  const flags = [
    ...(args[1] === 'create' ? MAKER_FLAGS : ['--max-semi-space-size=8']),
    ...['--require', join(import.meta.dirname, 'evidence-measure.cjs')],
  ];
  const child = spawnSync(
    process.execPath,
    [...flags, join(import.meta.dirname, '../bin/ipo.cjs'), ...args],
    {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      encoding: 'utf8',
    },
  );
  if (child.status !== 0) throw new Error(`${args.join(' ')} failed: ${child.stderr}`);
  return JSON.parse(child.output[3] ?? '') as Measured;
}

/**
 * benchEvidence prints what an evidence package of `rows` rows takes: of the time of an export of the same rows, and of their verification;
 * how its memory grows from a tenth of the rows to three times as many; and what the daemon's own packages do to the webhook.
 */
export async function benchEvidence(
  directory: string,
  rows: number,
  line: Line,
  quick: boolean,
): Promise<void> {
  const key = join(directory, 'evidence.key');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const made = new Map<number, ReturnType<typeof filesOf>>();
  const keyFile = join(directory, 'evidence-ledger.pem');
  const pem = newKey();
  writeFileSync(keyFile, pem, { mode: 0o600 });
  for (const count of [rows / 10, rows, rows * 3]) {
    const files = filesOf(directory, count);
    await buildStore(files.url, count, pem);
    made.set(count, files);
  }
  const create = (count: number): Measured => {
    const { url, zip } = made.get(count) ?? filesOf(directory, count);
    const to = formatTime(ENDS_AT);
    return measure(
      ...['evidence', 'create', '--database', url, '--key', key, '--from', FROM, '--to', to],
      ...['--out', zip, '--force'],
    );
  };
  const files = made.get(rows) ?? filesOf(directory, rows);
  const ratios: number[][] = [[], [], []];
  let most = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    if (existsSync(files.rows)) rmSync(files.rows);
    const exporting = () =>
      measure('ledger', 'export', '--database', files.url, '--from', FROM, '-o', `ndjson.gz=${files.rows}`);
    const [package_, plain] =
      round % 2 === 0 ? [create(rows), exporting()] : [exporting(), create(rows)].toReversed();
    if (package_ === undefined || plain === undefined) throw new Error('not measured');
    most = Math.max(most, package_.rss);
    const verified = measure('ledger', 'verify', '--ledger', files.rows);
    const checks = [measure('evidence', 'verify', files.zip), measure('evidence', 'recompute', files.zip)];
    [package_.ms / plain.ms, ...checks.map(({ ms }) => ms / verified.ms)].forEach((ratio, i) =>
      ratios[i]?.push(ratio),
    );
  }
  const worst = (i: number): string => Math.max(...(ratios[i] ?? [])).toFixed(2);
  const count = rows.toLocaleString('en-US');
  line(`evidence package of ${count} rows, of an export of them`, worst(0), 'at most 4');
  line('  its memory', `${Math.round(most)} MB`, 'at most 300 MB');
  line('  verify, of ledger verify of its rows', worst(1), 'at most 2');
  line('  recompute, of ledger verify of its rows', worst(2), 'at most 2');
  line('  its size', `${(statSync(files.zip).size / rows).toFixed(0)} bytes a row`, '');
  const [small, large] = [create(rows / 10), create(rows * 3)];
  line(
    `  memory with ${(rows * 3).toLocaleString('en-US')} rows, of that with ${(rows / 10).toLocaleString('en-US')}`,
    (large.rss / small.rss).toFixed(2),
    'at most 1.25',
  );
  await benchEvidenceWebhook({ directory, url: files.url, keyFile }, line, quick);
}

function filesOf(directory: string, rows: number) {
  const at = (name: string): string => join(directory, `${rows}-${name}`);
  return { url: `sqlite:${at('evidence.db')}`, zip: at('package.zip'), rows: at('rows.ndjson.gz') };
}
