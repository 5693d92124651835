import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { benchOverload } from './webhook-overload.ts';
import { load, rateOf, Server } from './webhook-process.ts';
import { compareRow } from './webhook-row.ts';
import { spread } from './spread.ts';
import { keepLog } from '../src/app/index.ts';
import { makeCertificate, withoutOpenssl } from '../test/app/certificate.ts';

/** Line prints a figure beside what it must be. */
type Line = (name: string, figure: string, must: string) => void;

const ROUNDS = 5;
/** Rows that the ledger has before the first review, so that replays have something to read. */
const ROWS = 50_000;
const HERE = import.meta.dirname;

/**
 * benchWebhook prints the figures of the webhook beside bare servers, in rotated rounds; the worst round counts. `only`: the speed of a
 * review beside one that is bare, or the overload.
 */
export async function benchWebhook(
  line: Line,
  quick: boolean,
  only: 'row' | 'overload' | null = null,
): Promise<void> {
  if (withoutOpenssl !== false) {
    line('webhook', 'not measured', withoutOpenssl);
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'ipo-bench-webhook-'));
  makeCertificate(folder, 'bench');
  const url = `sqlite:${join(folder, 'webhook.db')}`;
  const built = spawnSync(process.execPath, [join(HERE, 'ledger-measure.ts'), 'build', url, String(ROWS)], {
    encoding: 'utf8',
  });
  if (built.status !== 0) throw new Error(built.stderr);
  // As the service's part does for the webhook's.
  const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const kept = keepLog({ url, log: quiet, metrics: { set: () => {} } });
  if (only !== 'overload') compareAlone(folder, line, quick);
  const [ours, row] = [await Server.start('ours', folder), await Server.start('row', folder)];
  const servers = [ours, row];
  try {
    if (only !== 'overload') await compareRow(row, ours, line, quick);
    if (only === null) {
      const bare = await Server.start('bare', folder);
      servers.push(bare);
      await compare([bare, ours], line, quick);
      await besideReplays(ours, url, line, quick);
      await flatMemory(ours, line, quick);
    }
    if (only !== 'row') await benchOverload(ours, (...more) => load(ours, ...more), line, quick);
  } finally {
    for (const server of servers) await server.stop();
    await kept.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compare(servers: readonly [Server, Server], line: Line, quick: boolean): Promise<void> {
  const count = quick ? 10_000 : 30_000;
  for (const server of servers) await load(server, count / 2, 0); // warms up
  const [shares, rates, waits, p99]: number[][] = [[], [], [], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    const order = round % 2 === 0 ? [0, 1] : [1, 0];
    const found = [0, 0];
    const late = [0, 0];
    for (const i of order) found[i] = await rateOf(servers[i] as Server, count);
    for (const i of order) late[i] = (await load(servers[i] as Server, quick ? 900 : 3000, 300)).p99;
    shares?.push((found[1] as number) / (found[0] as number));
    rates?.push(found[1] as number);
    waits?.push((late[1] as number) / (late[0] as number));
    p99?.push(late[1] as number);
  }
  const number = (value: number): string => Math.round(value).toLocaleString('en-US');
  line(
    'reviews per CPU-second, of a bare node:https server',
    spread(shares, Math.min),
    'at least 0.12, aim 0.25',
  );
  line('  reviews per CPU-second', number(Math.min(...(rates ?? []))), '');
  line('p99 at 300 reviews a second, of that server', spread(waits, Math.max), 'at most 3, aim 2');
  line('  p99', `${spread(p99, Math.max)} ms`, '');
}

/** Replays over the same database at the low priority of the service's, one after another without pause. */
async function besideReplays(server: Server, url: string, line: Line, quick: boolean): Promise<void> {
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const idle = await load(server, quick ? 900 : 3000, 300);
    const replays = spawn(process.execPath, [join(HERE, 'webhook-replays.ts'), url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(replays.stdout, 'data');
    const busy = await load(server, quick ? 900 : 3000, 300);
    replays.kill();
    await once(replays, 'exit');
    ratios.push(busy.p99 / idle.p99);
  }
  line('p99 while replays run without pause, of idle', spread(ratios, Math.max), 'at most 1.5, aim 1.1');
}

async function flatMemory(server: Server, line: Line, quick: boolean): Promise<void> {
  const tenth = quick ? 5_000 : 20_000;
  const rss: number[] = [];
  for (let i = 0; i < 10; i += 1) {
    await load(server, tenth, 0);
    rss.push((await server.use()).rss);
  }
  const number = (tenth * 10).toLocaleString('en-US');
  const [first = NaN, last = NaN] = [rss[2], rss.at(-1)];
  line(`memory over ${number} reviews`, `${Math.max(...rss).toFixed(0)} MB`, 'at most 250 MB');
  line('  at the end, of that after three tenths', (last / first).toFixed(2), 'about 1: flat');
}

/** One review at a time without a port, beside a raw commit of one row. */
function compareAlone(folder: string, line: Line, quick: boolean): void {
  const args = [join(HERE, 'webhook-alone.ts'), folder, String(ROUNDS + 2), quick ? '1000' : '3000'];
  const child = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (child.status !== 0) throw new Error(child.stderr);
  const { ratios, ours, parse, raw } = JSON.parse(child.stdout) as {
    readonly ratios: number[];
    readonly ours: number;
    readonly parse: number;
    readonly raw: number;
  };
  line('a review by itself, of a raw commit of one row', spread(ratios, Math.max), 'at most 1.6, aim 1.3');
  const [all, floor, parsed] = [ours, raw, parse].map((us) => us.toFixed(0));
  line('  us: of the commit, of one JSON.parse', `${all}: ${floor}, ${parsed}`, '');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await benchWebhook(
    (name, figure, must) => process.stdout.write(`${name.padEnd(58)} ${figure.padStart(22)}   ${must}\n`),
    process.argv.includes('--quick'),
    (['overload', 'row'] as const).find((part) => process.argv.includes(`--${part}`)) ?? null,
  );
}
