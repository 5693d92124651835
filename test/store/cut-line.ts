import { connect, createServer, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** CutLine stands between a store and its server, and can be cut, closed and held. */
export interface CutLine {
  /** The server's address as seen through the line. */
  readonly url: string;
  /** Cuts every connection; new ones are cut at once until `mend`. */
  cut(): void;
  /** Takes connections and bytes, and answers nothing, until `mend`. */
  hold(): void;
  mend(): void;
}

/** openLine opens a line to the server of an address; it is closed after the test. */
export async function openLine(t: TestContext, url: string): Promise<CutLine> {
  const target = new URL(url);
  let state: 'open' | 'cut' | 'held' = 'open';
  const sockets = new Set<Socket>();
  const server: Server = createServer((near) => {
    const keep = (socket: Socket): void => {
      sockets.add(socket);
      socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
    };
    keep(near);
    if (state === 'cut') near.destroy();
    if (state !== 'open') return;
    const far = connect(Number(target.port || 5432), target.hostname);
    keep(far);
    near.on('data', (bytes) => void (state === 'held' || far.write(bytes))).on('close', () => far.destroy());
    far.on('data', (bytes) => void (state === 'held' || near.write(bytes))).on('close', () => near.destroy());
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const through = new URL(url);
  through.host = `127.0.0.1:${address.port}`;
  return {
    url: through.href,
    cut: () => {
      state = 'cut';
      for (const socket of sockets) socket.destroy();
    },
    hold: () => void (state = 'held'),
    mend: () => {
      if (state === 'held') for (const socket of sockets) socket.destroy();
      state = 'open';
    },
  };
}
