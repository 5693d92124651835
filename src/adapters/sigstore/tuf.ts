import { formatTime, isWaiting, Outage, type Clock, type Log } from '../../base/index.ts';
import { proxyFaultOf } from '../transport/index.ts';
import type { CurrentTrust, TrustSource } from './trust-source.ts';

/** PUBLIC_MIRROR is the TUF repository of Sigstore's public instance, whose first keys come with the library. */
export const PUBLIC_MIRROR = 'https://tuf-repo-cdn.sigstore.dev';

/** TufOptions say where a trust root is had from, and where it is kept. */
export interface TufOptions {
  readonly mirror: string;
  /** File with the first root of the mirror's keys; null only for the public instance. */
  readonly rootPath: string | null;
  /** Folder, writable and kept: what was seen there cannot be taken back by the mirror. */
  readonly cachePath: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Milliseconds after which the mirror is asked again (24 h). */
  readonly refreshMs?: number;
  /** Milliseconds after a failure before the mirror is asked again (5 min). */
  readonly retryMs?: number;
  /** Milliseconds for all of one refresh (30 s). */
  readonly timeLimit?: number;
}

/**
 * openTufTrust gives the trust root of a TUF repository, asked for when it is first needed and once a day. Where the mirror
 * cannot be reached, what is kept serves as long as its own expiry allows; after that there is none, and it says so.
 */
export function openTufTrust(options: TufOptions): TrustSource {
  return new TufTrust(options);
}

/** How often it is fetched again unless said. */
const REFRESH_MS = 24 * 3_600_000;

class TufTrust implements TrustSource {
  readonly #options: TufOptions;
  #known: CurrentTrust = { document: null, fault: null };
  readonly #outage = new Outage();
  #askAgainAt = -Infinity;
  #asking: Promise<void> | null = null;

  constructor(options: TufOptions) {
    this.#options = options;
  }

  async current(signal: AbortSignal): Promise<CurrentTrust> {
    const { clock, refreshMs = REFRESH_MS } = this.#options;
    if (!isWaiting(this.#askAgainAt, clock.now(), refreshMs)) {
      this.#asking ??= this.#refresh().finally(() => (this.#asking = null));
      await settled(this.#asking, signal);
    }
    return this.#known;
  }

  async #refresh(): Promise<void> {
    const { clock, log, mirror, refreshMs = REFRESH_MS, retryMs = 300_000 } = this.#options;
    try {
      this.#keep(await this.#fetch());
      this.#askAgainAt = clock.now() + refreshMs;
      if (this.#outage.ends()) log.info('the trust root can be fetched again', { mirror });
    } catch (error) {
      this.#askAgainAt = clock.now() + retryMs;
      const cause = causeOf(error);
      const isKept = error instanceof StaleTrust;
      log[this.#outage.isNew(cause) ? 'warn' : 'debug']('the trust root was not fetched', {
        from: mirror,
        meanwhile: isKept
          ? 'the one that is kept counts'
          : 'keyless signatures are not verified; signatures by keys, and all else, are',
        next_try: formatTime(this.#askAgainAt),
        cause,
      });
      if (isKept) this.#keep(error.text);
      else this.#known = { document: null, fault: `no trust root could be had from ${mirror}: ${cause}` };
    }
  }

  /** The same document stays the same object, so that nobody opens it again. */
  #keep(text: string): void {
    const bytes = Buffer.from(text, 'utf8');
    const { document } = this.#known;
    const same = document !== null && bytes.equals(document.bytes);
    this.#known = { document: same ? document : { bytes, file: this.#options.mirror }, fault: null };
  }

  async #fetch(): Promise<string> {
    const { timeLimit = 30_000 } = this.#options;
    try {
      return await within(timeLimit, this.#read(false));
    } catch (error) {
      // What is kept, as long as none of it has expired. The library then asks the mirror too, hence the short time.
      const kept = await within(5000, this.#read(true)).catch(() => null);
      if (kept === null) throw error;
      throw new StaleTrust(kept, error);
    }
  }

  async #read(forceCache: boolean): Promise<string> {
    const { mirror, rootPath, cachePath } = this.#options;
    const { initTUF } = await import('@sigstore/tuf');
    const client = await initTUF({
      mirrorURL: mirror,
      cachePath,
      forceCache,
      timeout: 5000,
      retry: { retries: forceCache ? 0 : 1 },
      ...(rootPath === null ? {} : { rootPath }),
    });
    return client.getTarget('trusted_root.json');
  }
}

/** StaleTrust holds what is kept and has not expired, though the mirror could not be asked. */
class StaleTrust extends Error {
  readonly text: string;
  constructor(text: string, cause: unknown) {
    super('the mirror could not be asked', { cause });
    this.text = text;
  }
}

/** Waits for work that goes on for others, no longer than this caller may. */
async function settled(work: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const leave = (): void => resolve();
  signal.addEventListener('abort', leave, { once: true });
  await Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', leave));
}

async function within<T>(limit: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${limit / 1000} seconds`)), limit);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** The innermost message: the library wraps what happened in sentences that say nothing of it. */
function causeOf(error: unknown): string {
  const closed = proxyFaultOf(error);
  if (closed !== null) return closed.message;
  let inner = error;
  for (let depth = 0; depth < 5 && inner instanceof Error && inner.cause !== undefined; depth += 1)
    inner = inner.cause;
  return inner instanceof Error ? inner.message : String(inner);
}
