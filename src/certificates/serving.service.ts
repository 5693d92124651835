import { DAY_MS, formatTime, sha256Hex, type Clock, type Log } from '../base/index.ts';
import { readServingPair } from './kept.ts';
import type { ServingPair, ServingSource } from './ports.ts';

/** ServingDeps are what a replica shows its serving certificate with. */
export interface ServingDeps {
  readonly source: ServingSource;
  /** Takes it for connections from now on. */
  replace(pair: ServingPair): void;
  readonly clock: Clock;
  readonly log: Log;
  /** Told when the one in use ends, as Unix time in seconds. */
  readonly measure?: (notAfter: number) => void;
}

/** It is told this long before the certificate ends: renewing has failed for weeks then. */
const SOON_MS = 2 * DAY_MS;
/** And again after so long: the source is read every few seconds. */
const TOLD_EVERY_MS = 3_600_000;

/** ServingCertificates takes over the serving certificate of a replica whenever its source has another: every replica's job. */
export class ServingCertificates {
  readonly #deps: ServingDeps;
  #inUse: (ServingPair & { readonly to: number }) | null = null;
  #told: { readonly what: string; readonly at: number } = { what: '', at: 0 };

  constructor(deps: ServingDeps) {
    this.#deps = deps;
  }

  /** Fingerprint of the certificate in use; null before the first. */
  get fingerprint(): string | null {
    return this.#inUse === null ? null : sha256Hex(this.#inUse.cert).slice(0, 32);
  }

  /** Unix time in milliseconds when the certificate in use ends; null before the first. */
  get endsAt(): number | null {
    return this.#inUse?.to ?? null;
  }

  /** Reads the source. Throws for one that cannot be used; the certificate in use then stays. */
  async run(): Promise<void> {
    const { source, replace, log, clock, measure } = this.#deps;
    try {
      const read = await source.read();
      if (read !== null && (read.cert !== this.#inUse?.cert || read.key !== this.#inUse.key)) {
        const checked = readServingPair(read.cert, read.key);
        replace({ cert: checked.cert, key: checked.key });
        this.#inUse = checked;
        measure?.(checked.to / 1000);
        log.info('the webhook shows another certificate', { ends_at: formatTime(checked.to) });
      }
    } finally {
      const left = this.#inUse === null ? Infinity : this.#inUse.to - clock.now();
      const hours = Math.ceil(left / 3_600_000);
      if (left <= 0 && this.#tells('ended'))
        log.error('the certificate of the webhook has ended; the API server cannot call it');
      else if (left > 0 && left < SOON_MS && this.#tells('soon'))
        log.warn('the certificate of the webhook ends soon', { hours });
    }
  }

  #tells(what: string): boolean {
    const at = this.#deps.clock.now();
    const { what: before, at: toldAt } = this.#told;
    if (before === what && Math.abs(at - toldAt) < TOLD_EVERY_MS) return false;
    this.#told = { what, at };
    return true;
  }
}
