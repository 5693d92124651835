import { Agent, request } from 'node:http';

/** Attacked is what became of the calls of an attack: how many were answered, by status; `0` for those that broke off. */
export type Attacked = Readonly<Record<string, number>>;

/** LISTS are what a viewer may read that takes most: lists at their longest, over the longest period. */
export const LISTS = [
  '/api/v1/ledger/rows?limit=10000',
  '/api/v1/ledger/rows?days=30&limit=10000',
  '/api/v1/images?limit=500',
  '/api/v1/vulnerabilities?limit=500',
  '/api/v1/policies',
  '/api/v1/system/health',
  '/api/v1/tracking?limit=500',
  '/api/v1/audit?limit=500',
] as const;

/** Attack calls routes again and again, each over so many connections at a time, until it is ended. */
export class Attack {
  readonly #api: URL;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  readonly #statuses: Record<string, number> = {};
  readonly #running: Promise<unknown>;
  #over = false;

  constructor(
    api: string,
    calls: readonly { readonly path: string; readonly token: string | null }[],
    each: number,
  ) {
    this.#api = new URL(api);
    this.#running = Promise.all(
      calls.flatMap(({ path, token }) => Array.from({ length: each }, () => this.#run(path, token))),
    );
  }

  /** Calls that were answered so far, with whatever status. */
  get answered(): number {
    return Object.entries(this.#statuses).reduce(
      (sum, [status, count]) => sum + (status === '0' ? 0 : count),
      0,
    );
  }

  async end(): Promise<Attacked> {
    this.#over = true;
    this.#agent.destroy();
    await this.#running;
    return this.#statuses;
  }

  async #run(path: string, token: string | null): Promise<void> {
    while (!this.#over) {
      const { status, wait } = await this.#call(path, token);
      if (this.#over) return;
      this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
      // Who attacks does not care for Retry-After; who is refused at once would else do nothing but be refused.
      if (wait) await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  #call(path: string, token: string | null): Promise<{ readonly status: number; readonly wait: boolean }> {
    return new Promise((resolve) => {
      const sent = request(
        {
          ...{ host: this.#api.hostname, port: this.#api.port, path, agent: this.#agent },
          headers: token === null ? {} : { authorization: `Bearer ${token}` },
        },
        (answer) => {
          answer.resume();
          const status = answer.statusCode ?? 0;
          answer.on('end', () => resolve({ status, wait: status >= 400 }));
          answer.on('error', () => resolve({ status: 0, wait: true }));
        },
      );
      sent.on('error', () => resolve({ status: 0, wait: true }));
      sent.end();
    });
  }
}
