import type { LookupFunction } from 'node:net';
import { getCACertificates } from 'node:tls';
import { Agent, buildConnector } from 'undici';
import { openConnector, type Outbound } from '../transport/index.ts';
import type { Reach } from './hosts.ts';
import { CALL_MS, CONNECT_MS, PER_HOST } from './limits.ts';

/** LinesOptions are those of RegistryOptions by which connections are made. */
export interface LinesOptions {
  readonly lookup?: LookupFunction | undefined;
  readonly denied?: readonly string[] | undefined;
  readonly outbound?: Outbound | undefined;
}

/** Lines are the connections of a client: one pool for each set of authorities, so that a host's own never vouch for another. */
export class Lines {
  readonly #agents = new Map<string, Agent>();
  readonly #options: LinesOptions;

  constructor(options: LinesOptions = {}) {
    this.#options = options;
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
    const { lookup, denied = [], outbound } = this.#options;
    // Checked as every address that others name is; never a metadata service, this machine only where it is meant.
    const rules = { testLoopback: loopback, privateNetworks: 'allow', denied } as const;
    const plain = openConnector({ rules, timeoutMs: CONNECT_MS, lookup, outbound });
    const secure = buildConnector({
      timeout: CONNECT_MS,
      allowH2: false,
      ...(ca !== null && { ca: [...(outbound?.authorities ?? getCACertificates('default')), ca] }),
      ...(ca === null && outbound?.secureContext !== undefined && { secureContext: outbound.secureContext }),
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
