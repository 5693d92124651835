import { isIpoError, type Clock, type IpoError, type Log } from '../base/index.ts';
import { checkNotOlder, isFromTheFuture, type Accepted } from './edition.ts';
import { checkCatalogue } from './kev.ts';
import type { FetchedKev, KevChange, KevSource, KevState, KevStore } from './ports.ts';

/** KnownExploitedDeps are what the catalogue is kept with. */
export interface KnownExploitedDeps {
  /** Null: nothing is asked, and a catalogue that is kept stays in use. */
  readonly source: KevSource | null;
  readonly store: KevStore;
  readonly clock: Clock;
  readonly log: Log;
}

/** KevRefresh is what came of asking the source once. */
export interface KevRefresh {
  /** `stopped`: the service ends, and the next start goes on. */
  readonly outcome: 'updated' | 'unchanged' | 'failed' | 'off' | 'stopped';
  /** Why it failed; the catalogue that is kept stays in use. */
  readonly fault: IpoError | null;
  readonly change: KevChange;
  /** Images whose findings got new marks. */
  readonly images: number;
}

const NOTHING: Omit<KevRefresh, 'outcome'> = {
  fault: null,
  change: { added: 0, removed: 0, redated: 0 },
  images: 0,
};

const NOUN = 'the catalogue of known exploited vulnerabilities';

/** KnownExploited keeps the catalogue of known exploited vulnerabilities up to date, and findings with it. */
export class KnownExploited {
  readonly #deps: KnownExploitedDeps;
  readonly #stop = new AbortController();
  #running: Promise<KevRefresh> | null = null;

  constructor(deps: KnownExploitedDeps) {
    this.#deps = deps;
  }

  /** Whether there is no source to ask. */
  get off(): boolean {
    return this.#deps.source === null;
  }

  state(): Promise<KevState> {
    return this.#deps.store.state();
  }

  /** Ends what is under way as soon as it can be ended; nothing begins from here on. */
  stop(): void {
    this.#stop.abort();
  }

  /**
   * Asks the source once and follows what it says. One refresh runs at a time: who comes meanwhile gets its outcome, but for one that
   * accepts a shrunk or an older catalogue, which comes after it. What is wrong with the source is an outcome; throws what the store throws.
   */
  async refresh({ acceptShrunk = false, acceptOlder = false }: Partial<Accepted> = {}): Promise<KevRefresh> {
    while (this.#running !== null) {
      const running = await this.#running;
      if (!acceptShrunk && !acceptOlder) return running;
    }
    this.#running = this.#refresh({ acceptShrunk, acceptOlder }).finally(() => (this.#running = null));
    return this.#running;
  }

  async #refresh(accepted: Accepted): Promise<KevRefresh> {
    const { source, store, clock, log } = this.#deps;
    const { signal } = this.#stop;
    if (source === null) return { ...NOTHING, outcome: 'off' };
    if (signal.aborted) return { ...NOTHING, outcome: 'stopped' };
    const kept = await store.state();
    const fetched = await this.#ask(source, kept, accepted);
    if (signal.aborted) return { ...NOTHING, outcome: 'stopped' };

    let { change } = NOTHING;
    if ('fault' in fetched) await store.failed(fetched.fault.message);
    else if (fetched.kind === 'same') await store.checked(clock.now());
    else {
      const { catalogue, validators } = fetched;
      change = await store.replace(catalogue, { source: source.name, validators, at: clock.now() });
    }
    // Also where nothing is new: what a crash interrupted goes on.
    const images = await store.mark(clock.now(), signal);
    if (signal.aborted) return { ...NOTHING, outcome: 'stopped' };

    const { added, removed, redated } = change;
    if (added + removed + redated > 0) {
      const { version, entries } = await store.state();
      const said = { version, entries, added, removed, redated, images };
      log.info('the catalogue of known exploited vulnerabilities is a new one', said);
      return { outcome: 'updated', fault: null, change, images };
    }
    const fault = 'fault' in fetched ? fetched.fault : null;
    return { outcome: fault === null ? 'unchanged' : 'failed', fault, change, images };
  }

  async #ask(
    source: KevSource,
    kept: KevState,
    { acceptShrunk, acceptOlder }: Accepted,
  ): Promise<FetchedKev | { readonly fault: IpoError }> {
    const { entries } = kept;
    try {
      const known = entries > 0 && kept.source === source.name ? kept.validators : null;
      const fetched = await source.ask(known, this.#stop.signal);
      if (fetched.kind === 'catalogue') {
        checkCatalogue(fetched.catalogue, entries, acceptShrunk);
        const edition = fetched.catalogue;
        if (entries > 0 && !acceptOlder)
          checkNotOlder(edition, { ...kept, isOfSource: kept.source === source.name }, NOUN, 'kev.source');
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
