import { fork, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { benchOverload } from './webhook-overload.ts';
import { makeCertificate, withoutOpenssl } from '../test/app/certificate.ts';

/** Line prints a figure beside what it must be. */
type Line = (name: string, figure: string, must: string) => void;

interface Load {
  readonly ms: number;
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  /** Without the time in which a call waited for a connection. */
  readonly answeredP99: number;
  readonly shed: number;
  readonly shedP99: number;
  readonly denied: number;
  readonly statuses: Readonly<Record<string, number>>;
}

interface Use {
  readonly cpu: number;
  readonly rss: number;
}

const ROUNDS = 5;
const CONNECTIONS = 50;
/** Rows that the ledger has before the first review, so that replays have something to read. */
const ROWS = 50_000;
const HERE = import.meta.dirname;

/** Server is one server to measure. */
class Server {
  readonly #child: ChildProcess;
  readonly port: number;

  constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  static async start(what: string, folder: string): Promise<Server> {
    const child = fork(join(HERE, 'webhook-server.ts'), [what, folder], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      execArgv: ['--max-semi-space-size=16', '--heap-growing-percent=40'], // as the image starts the daemon
    });
    const [{ port }] = (await once(child, 'message')) as [{ port: number }];
    return new Server(child, port);
  }

  async use(): Promise<Use> {
    this.#child.send('use');
    const [use] = (await once(this.#child, 'message')) as [Use];
    return use;
  }

  async stop(): Promise<void> {
    this.#child.kill();
    await once(this.#child, 'exit');
  }
}

/** One run of load; every call must be answered with 200, unless some may be turned away. */
async function load(
  server: Server,
  count: number,
  rate: number,
  connections = CONNECTIONS,
  sheds = false,
): Promise<Load> {
  const args = [join(HERE, 'webhook-load.ts'), server.port, connections, count, rate].map(String);
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  let text = '';
  for await (const chunk of child.stdout) text += String(chunk);
  await ended;
  const result = JSON.parse(text) as Load;
  const other = Object.keys(result.statuses).filter(
    (status) => status !== '200' && !(sheds && ['429', 'closed'].includes(status)),
  );
  if (other.length > 0 || result.count === 0) throw new Error(`not every call was answered: ${text}`);
  return result;
}

/** Calls for each second of the server's own time on a processor. */
async function rateOf(server: Server, count: number): Promise<number> {
  const before = await server.use();
  const { count: answered } = await load(server, count, 0);
  return answered / ((await server.use()).cpu - before.cpu);
}

/** benchWebhook prints the figures of the webhook beside a bare `node:https` server, in rotated rounds; the worst round counts. */
export async function benchWebhook(line: Line, quick: boolean, overloadOnly = false): Promise<void> {
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
  const servers = [await Server.start('bare', folder), await Server.start('ours', folder)] as const;
  try {
    if (!overloadOnly) {
      await compare(servers, line, quick);
      await besideReplays(servers[1], url, line, quick);
      await flatMemory(servers[1], line, quick);
    }
    await benchOverload(servers[1], (...more) => load(servers[1], ...more), line, quick);
  } finally {
    for (const server of servers) await server.stop();
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
    const replays = spawn('nice', ['-n', '19', process.execPath, join(HERE, 'webhook-replays.ts'), url], {
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

/** The worst, with the median. */
function spread(values: readonly number[] | undefined, worst: (...values: number[]) => number): string {
  const sorted = [...(values ?? [])].toSorted((a, b) => a - b);
  return `${worst(...sorted).toFixed(2)} (median ${(sorted[sorted.length >> 1] ?? NaN).toFixed(2)})`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await benchWebhook(
    (name, figure, must) => process.stdout.write(`${name.padEnd(58)} ${figure.padStart(22)}   ${must}\n`),
    process.argv.includes('--quick'),
    process.argv.includes('--overload'),
  );
}
