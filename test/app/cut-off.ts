import { connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** CutOff stands between a service and its database, and can take the database away and bring it back. */
export interface CutOff {
  /** Address of the database through here. */
  readonly url: string;
  /** Connections are ended, and new ones refused. */
  cut(): void;
  /** Connections stay, and nothing comes through. */
  stall(): void;
  restore(): void;
}

/** cutOff opens a way to a database of PostgreSQL that ends with its test. */
export async function cutOff(t: TestContext, url: string): Promise<CutOff> {
  const to = new URL(url);
  let way: 'open' | 'cut' | 'stalled' = 'open';
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    if (way === 'cut') return void client.destroy();
    const database = connect(Number(to.port === '' ? 5432 : to.port), to.hostname);
    for (const [from, into] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => {
        if (way === 'open') into.write(bytes);
      });
      from.on('error', () => into.destroy());
      from.on('close', () => {
        sockets.delete(from);
        into.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const end = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  t.after(() => {
    server.close();
    end();
  });
  const { port } = server.address() as { port: number };
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String(port);
  return {
    url: through.href,
    cut: () => {
      way = 'cut';
      end();
    },
    stall: () => void (way = 'stalled'),
    restore: () => {
      if (way === 'stalled') end();
      way = 'open';
    },
  };
}
