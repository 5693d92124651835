import type { FastifyRequest } from 'fastify';
import type { Log } from '../base/index.ts';

/** UntrustedProxy is an address that passes requests on and is not among `trustedProxies`. Times in milliseconds. */
export interface UntrustedProxy {
  readonly address: string;
  readonly since: number;
  readonly lastAt: number;
}

/** TRUST_HINT says what to set. */
export const TRUST_HINT =
  'Set trustedProxies (api.trustedProxies of the chart) to the addresses or networks of the proxy';

/** Addresses that are kept: anybody who reaches the port can send the header of a proxy. */
const MOST = 10;

/** UntrustedProxies remembers which addresses pass requests on without being trusted, for the log and the health. */
export class UntrustedProxies {
  readonly #now: () => number;
  readonly #log: Log;
  /** The one seen last stands last. */
  readonly #seen = new Map<string, UntrustedProxy>();
  #isLogged = false;

  constructor({ now, log }: { readonly now: () => number; readonly log: Log }) {
    this.#now = now;
    this.#log = log;
  }

  /** Whether a request was passed on by an address that is not trusted. Notes it, and logs the first. */
  note(request: Pick<FastifyRequest, 'headers' | 'ip' | 'socket'>): boolean {
    const { headers, ip, socket } = request;
    const isPassedOn = headers['x-forwarded-for'] !== undefined || headers['forwarded'] !== undefined;
    // Of a trusted proxy `ip` is the client that it names.
    if (!isPassedOn || socket.remoteAddress === undefined || ip !== socket.remoteAddress) return false;
    const at = this.#now();
    const since = this.#seen.get(ip)?.since ?? at;
    this.#seen.delete(ip);
    this.#seen.set(ip, { address: ip, since, lastAt: at });
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > MOST && oldest !== undefined) this.#seen.delete(oldest);
    if (!this.#isLogged)
      this.#log.warn('requests come through a proxy that is not trusted, so clients cannot be told apart', {
        proxy: ip,
        hint: TRUST_HINT,
      });
    this.#isLogged = true;
    return true;
  }

  /** The addresses, the one seen last first. */
  list(): readonly UntrustedProxy[] {
    return [...this.#seen.values()].toReversed();
  }
}
