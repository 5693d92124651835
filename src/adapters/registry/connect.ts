import type { LookupFunction } from 'node:net';
import { getCACertificates } from 'node:tls';
import { Agent, buildConnector } from 'undici';
import { openConnector } from '../transport/index.ts';
import type { Reach } from './hosts.ts';
import { CALL_MS, CONNECT_MS, PER_HOST } from './limits.ts';

/** Lines are the connections of a client: one pool for each set of authorities, so that a host's own never vouch for another. */
export class Lines {
  readonly #agents = new Map<string, Agent>();
  readonly #lookup: LookupFunction | undefined;
  readonly #denied: readonly string[];

  /** `denied` are addresses that are never called. */
  constructor(lookup?: LookupFunction, denied: readonly string[] = []) {
    this.#lookup = lookup;
    this.#denied = denied;
  }

  of({ ca, loopback }: Pick<Reach, 'ca' | 'loopback'>): Agent {
    const key = `${loopback} ${ca ?? ''}`;
    let agent = this.#agents.get(key);
    if (agent === undefined) this.#agents.set(key, (agent = this.#open(ca, loopback)));
    return agent;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#agents.values()].map((agent) => agent.destroy()));
    this.#agents.clear();
  }

  #open(ca: string | null, loopback: boolean): Agent {
    // Checked as every address that others name is; never a metadata service, this machine only where it is meant.
    const rules = { testLoopback: loopback, privateNetworks: 'allow', denied: this.#denied } as const;
    const plain = openConnector({ rules, timeoutMs: CONNECT_MS, lookup: this.#lookup });
    const secure = buildConnector({
      timeout: CONNECT_MS,
      allowH2: false,
      ...(ca !== null && { ca: [...getCACertificates('default'), ca] }),
    });
    return new Agent({
      connect: (options, callback) => {
        if (options.protocol !== 'https:') return plain(options, callback);
        // The checked connection first, then TLS over it.
        plain({ ...options, protocol: 'http:', port: options.port || '443' }, (...made) => {
          const [error, socket] = made;
          if (error !== null) callback(error, null);
          else secure({ ...options, httpSocket: socket }, callback);
        });
      },
      headersTimeout: CALL_MS,
      bodyTimeout: CALL_MS,
      connections: PER_HOST,
      pipelining: 1,
      keepAliveTimeout: 10_000,
      keepAliveMaxTimeout: 30_000,
    });
  }
}
