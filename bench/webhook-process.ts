import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Load is what came of one run of load; times in milliseconds. */
export interface Load {
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

const CONNECTIONS = 50;
const HERE = import.meta.dirname;

/** Server is one server to measure. */
export class Server {
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

/** load is one run of load; every call must be answered with 200, unless some may be turned away. */
export async function load(
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

/** rateOf gives calls for each second of the server's own time on a processor, without pause on each connection. */
export async function rateOf(server: Server, count: number, connections = CONNECTIONS): Promise<number> {
  const before = await server.use();
  const { count: answered } = await load(server, count, 0, connections);
  return answered / ((await server.use()).cpu - before.cpu);
}
