import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { withoutOpenssl } from '../test/app/certificate.ts';
import { openParted } from '../test/daemon/parts.ts';
import { BENCH_ORIGIN, buildStore, newKey } from './ledger-store.ts';
import {
  AS_IN_IMAGE,
  benchBeside,
  besideScript,
  medianAndWorst,
  secondsOf,
  unansweredOf,
  untilReady,
  warmUp,
  type Line,
} from './parted-load.ts';

const ROOT = resolve(import.meta.dirname, '..');
const IPO = join(ROOT, 'bin/ipo.cjs');
const ROUNDS = 3;
/** Prints the most memory that the process took, in KiB, as it ends. */
const TELL = `data:text/javascript,process.on('exit',()=>process.stderr.write('rss='+process.resourceUsage().maxRSS))`;

interface Measured {
  readonly ms: number;
  /** MB; 0 of a program that is not ours. */
  readonly rss: number;
}

function measure(...args: string[]): Measured {
  const began = performance.now();
  const child = spawnSync(process.execPath, args, { encoding: 'utf8', cwd: ROOT });
  if (child.status !== 0) throw new Error(`${args.join(' ')} failed: ${child.stderr}`);
  return {
    ms: performance.now() - began,
    rss: Number(/rss=(\d+)$/.exec(child.stderr)?.[1] ?? 0) / 1024,
  };
}

const ipo = (...args: string[]): Measured => measure('--import', TELL, IPO, ...args, '--quiet');

/**
 * benchBackup prints what a backup of `rows` rows of the ledger takes of the time of an export of them, and a restore of that of a bare
 * insert of the same tables; their memory; and by how much a backup moves the webhook's p99 at 300 reviews a second.
 */
export async function benchBackup(
  directory: string,
  rows: number,
  line: Line,
  quick: boolean,
): Promise<void> {
  if (!existsSync(join(ROOT, 'dist/main.cjs')))
    throw new Error('run `npm run build` first: backups are measured on the bundle');
  const at = (name: string): string => join(directory, `backup-${name}`);
  const pem = newKey();
  writeFileSync(at('key.pem'), pem, { mode: 0o600 });
  const url = `sqlite:${at('from.db')}`;
  await buildStore(url, rows, pem);
  const file = at('whole.ipobackup');
  const acts = {
    create: () => ipo('backup', 'create', '--force', '--database', url, '--out', file),
    export: () =>
      ipo(
        'ledger',
        'export',
        '--database',
        url,
        '--from',
        '2020-01-01T00:00:00Z',
        '-o',
        at('all.ndjson.zst'),
        '--force',
      ),
    restore: () => onto(at('to.db'), (to) => ipo('backup', 'restore', file, '--database', `sqlite:${to}`)),
    bare: () =>
      onto(at('bare.db'), (to) => measure(join(import.meta.dirname, 'backup-bare.ts'), at('from.db'), to)),
    move: () => onto(at('to.db'), (to) => ipo('backup', 'move', '--from', url, '--to', `sqlite:${to}`)),
  };
  acts.create();
  const names = ['create', 'export', 'restore', 'bare'] as const;
  const taken: Record<string, Measured[]> = {};
  for (let round = 0; round < ROUNDS; round += 1) {
    const order = [...names.slice(round), ...names.slice(0, round)];
    for (const name of order) (taken[name] ??= []).push(acts[name]());
  }
  const ratios = (one: string, other: string): string =>
    medianAndWorst((taken[one] ?? []).map(({ ms }, i) => ms / (taken[other]?.[i]?.ms ?? NaN)));
  const most = (name: string): string =>
    `${Math.round(Math.max(...(taken[name] ?? []).map(({ rss }) => rss)))} MB`;
  const count = rows.toLocaleString('en-US');
  line(`backup of ${count} rows, of ledger export to .zst`, ratios('create', 'export'), 'at most 2');
  line('restore of it, of a bare insert of the same tables', ratios('restore', 'bare'), 'at most 2');
  line('memory of the backup, and of the restore', `${most('create')}, ${most('restore')}`, 'at most 200 MB');
  const [moved, verified] = [acts.move(), ipo('backup', 'verify', file)].map(({ rss }) => Math.round(rss));
  line('memory of a move, and of a verify', `${moved} MB, ${verified} MB`, 'at most 200 MB');
  line('size of the backup', `${(statSync(file).size / rows).toFixed(0)} bytes a row`, '');
  await benchWebhook(directory, url, at('key.pem'), line, quick);
}

/** The p99 of the webhook, quiet and while the service's own process of a backup runs, in turns. */
async function benchWebhook(
  directory: string,
  url: string,
  keyFile: string,
  line: Line,
  quick: boolean,
): Promise<void> {
  if (withoutOpenssl !== false) {
    line('webhook while a backup runs', 'not measured', withoutOpenssl);
    return;
  }
  const env = { IPO_LEDGER_KEY_FILE: keyFile, IPO_LEDGER_ORIGIN: BENCH_ORIGIN };
  const daemon = await openParted(join(directory, 'daemon'), url, { ...AS_IN_IMAGE, ...env });
  daemon.start();
  try {
    await untilReady(daemon);
    const seconds = secondsOf(quick);
    await warmUp(daemon, quick);
    let [unanswered, backups] = [0, 0];
    const beside = async () => {
      const out = join(directory, 'beside.ipobackup');
      const { load, said } = await besideScript(daemon, seconds, ['backup-beside.ts', url, out]);
      backups += Number(said);
      unanswered += unansweredOf(load);
      return load;
    };
    const what = 'p99 at 300/s while a backup runs: of quiet';
    await benchBeside({ daemon, seconds, line }, what, 'at most 1.20; worst 1.50', beside);
    line('  reviews without an answer; whole backups', `${unanswered}; ${backups}`, '0');
  } finally {
    await daemon.end();
  }
}

/** Runs an act with a file that is not there, and deletes what it made. */
function onto(file: string, act: (file: string) => Measured): Measured {
  const drop = (): void => {
    for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
  };
  drop();
  const measured = act(file);
  drop();
  return measured;
}
