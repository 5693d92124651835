import { hash as hashOf, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { REVIEW_PATH } from '../../admission/index.ts';
import type { Log } from '../../base/index.ts';

/** CallersOptions say by what the API server is known. */
export interface CallersOptions {
  /** Whether a review comes by a path with a secret end. */
  readonly path: boolean;
  /** Whether a review comes with a certificate of an authority that is trusted for it. */
  readonly certificate: boolean;
  /** Common names of such certificates that are taken; empty takes any. */
  readonly names: readonly string[];
  readonly now: () => number;
  readonly log: Log;
  /** Told of each call that is refused. */
  readonly refused: (reason: CallerFault) => void;
}

/** CallerFault is why a call is not taken for one of the API server: its path, no certificate, or one of another name. */
export type CallerFault = 'path' | 'certificate' | 'name';

/** What is told in the log is told once in this many milliseconds. */
const QUIET_MS = 600_000;
/** Longer than any path that is right. */
const LONGEST = 256;

/** Callers knows whether a call comes from the API server: by the secret end of its path, by its certificate, or both. */
export class Callers {
  readonly #options: CallersOptions;
  #taken: readonly Buffer[] | null = null;
  #authority: string | null = null;
  #calls = 0;
  #lastAt: number | null = null;
  readonly #told = new Map<CallerFault, { readonly at: number; readonly calls: number }>();

  constructor(options: CallersOptions) {
    this.#options = options;
  }

  /** Takes reviews by these ends of paths from now on, and by no others. */
  takePaths(ends: readonly string[]): void {
    this.#taken = ends.map(hash);
  }

  /** Trusts these authorities (PEM) from now on. */
  trust(authority: string): void {
    this.#authority = authority;
  }

  /** What TLS asks of clients; `/livez` and `/readyz` are open to those without a certificate. */
  get tls(): {
    readonly requestCert?: true;
    readonly rejectUnauthorized?: false;
    readonly ca?: string | string[];
  } {
    if (!this.#options.certificate) return {};
    // Before it is known, none: an empty text would trust the authorities of the system, on open connections for good.
    return { requestCert: true, rejectUnauthorized: false, ca: this.#authority ?? [] };
  }

  /** Why no review can be taken yet, or null. */
  unready(): string | null {
    const { path, certificate } = this.#options;
    if (path && this.#taken === null) return 'the webhook has no path yet';
    if (certificate && this.#authority === null) return 'the authority of callers has not been read yet';
    return null;
  }

  /** Calls that were refused, and when the last one was. */
  get refusals(): { readonly calls: number; readonly lastAt: number | null } {
    return { calls: this.#calls, lastAt: this.#lastAt };
  }

  /** Whether the path of a call is that of reviews, whatever stands at its end. */
  isReview(url: string): boolean {
    if (!url.startsWith(REVIEW_PATH)) return false;
    const next = url[REVIEW_PATH.length];
    return next === undefined || next === '?' || (next === '/' && this.#options.path);
  }

  /** Why a call for a review is refused, or null. Counts and tells it. */
  refuse(request: IncomingMessage): CallerFault | null {
    const fault = this.#judge(request);
    if (fault !== null) this.#tell(fault, request);
    return fault;
  }

  #judge({ url = '', socket }: IncomingMessage): CallerFault | null {
    const { path, certificate, names } = this.#options;
    if (path && !this.#isTaken(url)) return 'path';
    if (!certificate) return null;
    const tls = socket as TLSSocket;
    if (this.#authority === null || !tls.authorized) return 'certificate';
    if (names.length === 0) return null;
    const { CN } = tls.getPeerCertificate().subject ?? {};
    return typeof CN === 'string' && names.includes(CN) ? null : 'name';
  }

  /** Each is compared, and by digests of one length, so that the time tells nothing. */
  #isTaken(url: string): boolean {
    const query = url.indexOf('?');
    const end = url.slice(REVIEW_PATH.length + 1, query === -1 ? undefined : query);
    if (end === '' || end.length > LONGEST) return false;
    const given = hash(end);
    let isTaken = false;
    for (const taken of this.#taken ?? []) isTaken = timingSafeEqual(taken, given) || isTaken;
    return isTaken;
  }

  #tell(fault: CallerFault, { socket }: IncomingMessage): void {
    const { now, log, refused } = this.#options;
    const at = now();
    this.#calls += 1;
    this.#lastAt = at;
    refused(fault);
    const told = this.#told.get(fault);
    if (told !== undefined && Math.abs(at - told.at) < QUIET_MS) return;
    this.#told.set(fault, { at, calls: this.#calls });
    log.warn('a call of the webhook did not come from the API server; it was refused', {
      reason: SENTENCES[fault],
      from: socket.remoteAddress,
      calls: this.#calls,
    });
  }
}

/** SENTENCES are answered with 403. */
export const SENTENCES: Readonly<Record<CallerFault, string>> = {
  path: 'the path of this call is not that of the webhook configuration',
  certificate: 'this call shows no certificate of the API server',
  name: 'the certificate of this call is not that of the API server',
};

function hash(text: string): Buffer {
  return hashOf('sha256', text, 'buffer');
}
