import { isIpoError, type Clock, type IpoError, type Log } from '../base/index.ts';
import { checkNotOlder, isFromTheFuture, type Accepted } from './edition.ts';
import { checkReleaseData } from './end-of-life.ts';
import type { FetchedReleases, ReleaseSource, ReleaseState, ReleaseStore } from './end-of-life-ports.ts';

/** EndOfLifeDeps are what release data is kept with. */
export interface EndOfLifeDeps {
  /** Null: nothing is asked, and release data that is kept stays in use. */
  readonly source: ReleaseSource | null;
  readonly store: ReleaseStore;
  readonly clock: Clock;
  readonly log: Log;
}

/** ReleaseRefresh is what came of asking the source once. */
export interface ReleaseRefresh {
  /** `stopped`: the service ends, and the next start goes on. */
  readonly outcome: 'updated' | 'unchanged' | 'failed' | 'off' | 'stopped';
  /** Why it failed; the release data that is kept stays in use. */
  readonly fault: IpoError | null;
  /** Releases that came in, went out or have other ends. */
  readonly changed: number;
  /** Images whose operating system got new marks. */
  readonly images: number;
}

const NOUN = 'the release data of operating systems';

/** EndOfLife keeps release data of operating systems up to date, and the scans with it: "from the scanner, else the release data". */
export class EndOfLife {
  readonly #deps: EndOfLifeDeps;
  readonly #stop = new AbortController();
  #running: Promise<ReleaseRefresh> | null = null;

  constructor(deps: EndOfLifeDeps) {
    this.#deps = deps;
  }

  /** Whether there is no source to ask. Marking goes on: what is kept ends with the days. */
  get off(): boolean {
    return this.#deps.source === null;
  }

  state(): Promise<ReleaseState> {
    return this.#deps.store.state();
  }

  /** Ends what is under way as soon as it can be ended; nothing begins from here on. */
  stop(): void {
    this.#stop.abort();
  }

  /**
   * Asks the source once and marks the scans, one refresh at a time: who comes meanwhile gets its outcome, but for one that accepts
   * shrunk or older data, which comes after it. What is wrong with the source is an outcome; throws what the store throws.
   */
  async refresh({
    acceptShrunk = false,
    acceptOlder = false,
  }: Partial<Accepted> = {}): Promise<ReleaseRefresh> {
    while (this.#running !== null) {
      const running = await this.#running;
      if (!acceptShrunk && !acceptOlder) return running;
    }
    this.#running = this.#refresh({ acceptShrunk, acceptOlder }).finally(() => (this.#running = null));
    return this.#running;
  }

  async #refresh(accepted: Accepted): Promise<ReleaseRefresh> {
    const { source, store, clock, log } = this.#deps;
    const { signal } = this.#stop;
    const stopped = { outcome: 'stopped', fault: null, changed: 0, images: 0 } as const;
    if (signal.aborted) return stopped;
    let fault: IpoError | null = null;
    let changed = 0;
    if (source !== null) {
      const fetched = await this.#ask(source, await store.state(), accepted);
      if (signal.aborted) return stopped;
      if ('fault' in fetched) {
        ({ fault } = fetched);
        await store.failed(fault.message);
      } else if (fetched.kind === 'same') await store.checked(clock.now());
      else {
        const { data, validators } = fetched;
        changed = await store.replace(data, { source: source.name, validators, at: clock.now() });
      }
    }
    const images = await store.mark(clock.now(), signal);
    if (signal.aborted) return stopped;
    if (changed > 0) log.info('the release data of operating systems is new', { changed, images });
    const outcome =
      source === null ? 'off' : fault !== null ? 'failed' : changed > 0 ? 'updated' : 'unchanged';
    return { outcome, fault, changed, images };
  }

  async #ask(
    source: ReleaseSource,
    kept: ReleaseState,
    { acceptShrunk, acceptOlder }: Accepted,
  ): Promise<FetchedReleases | { readonly fault: IpoError }> {
    const { entries } = kept;
    try {
      const known = entries > 0 && kept.source === source.name ? kept.validators : null;
      const fetched = await source.ask(known, this.#stop.signal);
      if (fetched.kind === 'releases') {
        checkReleaseData(fetched.data, entries, acceptShrunk);
        const edition = { version: null, releasedAt: fetched.data.releasedAt ?? null };
        if (entries > 0 && !acceptOlder)
          checkNotOlder(
            edition,
            { version: null, ...kept, isOfSource: kept.source === source.name },
            NOUN,
            'endOfLife.source',
          );
        if (isFromTheFuture(edition, this.#deps.clock.now()))
          this.#deps.log.warn(
            `${NOUN} is dated in the future: check the clock of its source, and of this machine`,
            {
              source: source.name,
              released_at: edition.releasedAt,
            },
          );
      }
      return fetched;
    } catch (error) {
      if (isIpoError(error)) return { fault: error };
      throw error;
    }
  }
}
