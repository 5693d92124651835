import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { StatusError } from './status-error.ts';

/** Seen is a request as it came. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly authorization: string | null;
  readonly agent: string | null;
  readonly body: unknown;
}

/** Faults are what can be wrong with the fake API server; each stands until it is taken back. */
export class Faults {
  readonly #sockets = new Map<Socket, string | null>();
  readonly #cut = new Set<string>();
  /** Requests that this holds for are answered so. */
  answer: ((seen: Seen) => StatusError | null) | null = null;
  /** Requests that this holds for get no answer at all. */
  silent: ((seen: Seen) => boolean) | null = null;

  /** As the storage of a new definition is made ready: so many requests for its objects are put off. */
  initialising(plural: string, requests: number): void {
    let left = requests;
    this.answer = ({ path }) => {
      if (left === 0 || !path.split('/').includes(plural)) return null;
      left -= 1;
      return new StatusError(429, 'TooManyRequests', 'storage is (re)initializing', 1);
    };
  }

  /** Cuts a client, by its `user-agent`, from the server: what is open breaks, what comes breaks too. */
  cut(agent: string): void {
    this.#cut.add(agent);
    for (const [socket, owner] of this.#sockets) if (owner === agent) socket.destroy();
  }

  mend(agent: string): void {
    this.#cut.delete(agent);
  }

  /** Breaks every connection that is open. */
  breakAll(): void {
    for (const socket of this.#sockets.keys()) socket.destroy();
  }

  opened(socket: Socket): void {
    this.#sockets.set(socket, null);
    socket.on('close', () => this.#sockets.delete(socket));
  }

  get connections(): number {
    return this.#sockets.size;
  }

  /** Whether the request is not to be answered any more. Throws the answer that was asked for. */
  takes(seen: Seen, response: ServerResponse): boolean {
    const { socket } = response;
    if (socket !== null) this.#sockets.set(socket, seen.agent);
    if (seen.agent !== null && this.#cut.has(seen.agent)) {
      socket?.destroy();
      return true;
    }
    if (this.silent?.(seen) === true) return true;
    const answer = this.answer?.(seen) ?? null;
    if (answer !== null) throw answer;
    return false;
  }
}
