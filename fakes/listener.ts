import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { FakeError } from './fake-error.ts';
import type { WireRequest } from './wire.ts';

/** Answer is what goes out: bytes as they stand, or the end of the connection, or nothing at all. */
export type Answer =
  | {
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly bytes: Buffer;
      /** after runs once all of it went out. */
      readonly after?: () => Promise<void>;
    }
  | 'reset'
  | 'hang';

/** Listener is an HTTP server on loopback that can be taken down and brought back on the same port. */
export class Listener {
  readonly #server: Server;
  #port = 0;

  private constructor(answer: (request: WireRequest) => Promise<Answer>) {
    this.#server = createServer((request, response) => {
      void serve(request, response, answer);
    });
    this.#server.keepAliveTimeout = 60_000;
  }

  /** open listens on a free port of 127.0.0.1, or on the one given. */
  static async open(answer: (request: WireRequest) => Promise<Answer>, port = 0): Promise<Listener> {
    const listener = new Listener(answer);
    listener.#port = port;
    await listener.up();
    return listener;
  }

  /** origin is the address, without a path. */
  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** up listens; a client's connection is refused before. */
  async up(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.#port, '127.0.0.1', () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    const address = this.#server.address();
    if (address === null || typeof address === 'string') {
      throw new FakeError('not_listening', 'the fake has no port of its own');
    }
    this.#port = address.port;
  }

  /** down stops listening and drops every connection: the next one is refused. */
  async down(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => {
        resolve();
      });
    });
    this.#server.closeAllConnections();
    await closed;
  }
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (request: WireRequest) => Promise<Answer>,
): Promise<void> {
  const [path, query] = split(request.url ?? '/');
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    headers[name] = Array.isArray(value) ? value.join(', ') : (value ?? '');
  }
  try {
    const body = await text(request);
    const made = await answer({
      method: request.method ?? 'GET',
      path,
      query: new URLSearchParams(query),
      headers,
      text: body,
    });
    if (made === 'hang') return;
    if (made === 'reset') {
      request.socket.destroy();
      return;
    }
    response.writeHead(made.status, { ...made.headers, 'content-length': made.bytes.length });
    await new Promise<void>((resolve) => {
      response.end(made.bytes, resolve);
    });
    await made.after?.();
  } catch {
    // A client that gave up, or a mistake in the fake: either way there is nobody to tell but by dropping the line.
    request.socket.destroy();
  }
}

function split(url: string): [string, string] {
  const at = url.indexOf('?');
  return at === -1 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
}
