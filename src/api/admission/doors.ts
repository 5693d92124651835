import { createServer, type ListenOptions, type Server } from 'node:net';

/** Address is where a server listens. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** How many sockets listen beside the server's own. */
const FURTHER = 7;

/**
 * Doors lets a server listen on its port with several sockets. Of each, one connection is taken in a turn of the event loop, which
 * under load lasts hundreds of milliseconds: through a single one, probes and the API server's further connections would wait for
 * seconds. Where a port cannot be shared (it can on Linux and the BSDs) there is one.
 */
export class Doors {
  readonly #server: Server;
  readonly #further: Server[] = [];

  constructor(server: Server) {
    this.#server = server;
  }

  /** Listens; port 0 takes a free one. Gives the address taken. Throws what `listen` of a server does, and then nothing listens. */
  async listen(host: string, port: number): Promise<Address> {
    const address = await tryAlone({ host, port });
    try {
      await listening(this.#server, { ...address, reusePort: true });
    } catch (error) {
      if (!isUnsupported(error)) throw error;
      await listening(this.#server, address);
      return address;
    }
    try {
      for (let door = 0; door < FURTHER; door += 1) {
        // As servers of HTTP have it: the first answer on a connection would wait 40 ms for the client's delayed acknowledgement.
        const server = createServer(
          { noDelay: true },
          (socket) => void this.#server.emit('connection', socket),
        );
        this.#further.push(server);
        await listening(server, { ...address, reusePort: true });
      }
    } catch (error) {
      await this.close();
      throw error;
    }
    return address;
  }

  /** Told of faults from now on. */
  onError(told: (error: Error) => void): void {
    for (const server of [this.#server, ...this.#further]) server.on('error', told);
  }

  /** Takes nothing more; ends when every connection has. */
  async close(): Promise<void> {
    await Promise.all([this.#server, ...this.#further].map(closed));
  }
}

/** With only sockets that share a port, another process of this user that shares it too would go unnoticed. */
async function tryAlone(asked: Address): Promise<Address> {
  const server = createServer();
  await listening(server, asked);
  const address = server.address();
  await closed(server);
  return typeof address === 'object' && address !== null
    ? { host: address.address, port: address.port }
    : asked;
}

async function listening(server: Server, options: ListenOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(options, resolve);
  await promise;
  server.off('error', reject);
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

function isUnsupported(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return ['ENOTSUP', 'EINVAL', 'ENOPROTOOPT'].includes(code);
}
