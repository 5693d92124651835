import { isIpoError, type Clock, type IpoError, type Log } from '../base/index.ts';
import { checkNotOlder, isFromTheFuture, type Accepted, type Edition } from './edition.ts';
import type { CatalogueSource, CatalogueState, CatalogueStore, Fetched } from './ports.ts';

/** CatalogueKind is what one catalogue has of its own. `T` is its content, `C` how one differs from the one that it replaced. */
export interface CatalogueKind<T, C> {
  /** As sentences speak of it, and the setting that says where it comes from. */
  readonly noun: string;
  readonly setting: string;
  editionOf(value: T): Edition;
  /** Holds that it may replace one of `kept` entries. Throws CatalogueError `invalid_report`. */
  check(value: T, kept: number, acceptShrunk: boolean): void;
  /** The difference of none. */
  readonly same: C;
  isNew(change: C): boolean;
  /** What the log says of a new one. */
  readonly news: string;
  tell(change: C, state: CatalogueState): Readonly<Record<string, unknown>>;
  /** Whether what it says changes with the days, so that marking goes on without a source. */
  readonly marksByTime: boolean;
}

/** CatalogueDeps are what it is kept with. */
export interface CatalogueDeps<T, C> {
  /** Null: nothing is asked, and a catalogue that is kept stays in use. */
  readonly source: CatalogueSource<T> | null;
  readonly store: CatalogueStore<T, C>;
  readonly clock: Clock;
  readonly log: Log;
}

/** CatalogueRefresh is what came of asking the source once. */
export interface CatalogueRefresh<C> {
  /** `stopped`: the service ends, and the next start goes on. */
  readonly outcome: 'updated' | 'unchanged' | 'failed' | 'off' | 'stopped';
  /** Why it failed; the catalogue that is kept stays in use. */
  readonly fault: IpoError | null;
  readonly change: C;
  /** Images whose marks changed. */
  readonly images: number;
}

/** Catalogue keeps a catalogue that others publish up to date, and what is marked by it. */
export class Catalogue<T, C> {
  readonly #kind: CatalogueKind<T, C>;
  readonly #deps: CatalogueDeps<T, C>;
  readonly #stop = new AbortController();
  #running: Promise<CatalogueRefresh<C>> | null = null;

  constructor(kind: CatalogueKind<T, C>, deps: CatalogueDeps<T, C>) {
    this.#kind = kind;
    this.#deps = deps;
  }

  /** Whether there is no source to ask. */
  get off(): boolean {
    return this.#deps.source === null;
  }

  state(): Promise<CatalogueState> {
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
  async refresh({ acceptShrunk = false, acceptOlder = false }: Partial<Accepted> = {}): Promise<
    CatalogueRefresh<C>
  > {
    while (this.#running !== null) {
      const running = await this.#running;
      if (!acceptShrunk && !acceptOlder) return running;
    }
    this.#running = this.#refresh({ acceptShrunk, acceptOlder }).finally(() => (this.#running = null));
    return this.#running;
  }

  async #refresh(accepted: Accepted): Promise<CatalogueRefresh<C>> {
    const { source, store, clock, log } = this.#deps;
    const { same, isNew, marksByTime, news, tell } = this.#kind;
    const { signal } = this.#stop;
    const nothing = { fault: null, change: same, images: 0 };
    if (source === null && !marksByTime) return { ...nothing, outcome: 'off' };
    if (signal.aborted) return { ...nothing, outcome: 'stopped' };
    const asked = source === null ? null : await this.#ask(source, await store.state(), accepted);
    if (signal.aborted) return { ...nothing, outcome: 'stopped' };
    const { change, fault } = await this.#keep(asked, source?.name ?? '');
    // Also where nothing is new: what a crash interrupted goes on.
    const images = await store.mark(clock.now(), signal);
    if (signal.aborted) return { ...nothing, outcome: 'stopped' };
    if (isNew(change)) {
      log.info(news, { ...tell(change, await store.state()), images });
      return { outcome: 'updated', fault: null, change, images };
    }
    if (source === null) return { outcome: 'off', fault, change, images };
    return { outcome: fault === null ? 'unchanged' : 'failed', fault, change, images };
  }

  /** Keeps what came of asking; null where nobody was asked. */
  async #keep(
    asked: Fetched<T> | { readonly fault: IpoError } | null,
    source: string,
  ): Promise<{ readonly change: C; readonly fault: IpoError | null }> {
    const { store, clock } = this.#deps;
    const { same } = this.#kind;
    if (asked === null) return { change: same, fault: null };
    if ('fault' in asked) {
      await store.failed(asked.fault.message);
      return { change: same, fault: asked.fault };
    }
    if (asked.kind === 'same') {
      await store.checked(clock.now());
      return { change: same, fault: null };
    }
    const { value, validators } = asked;
    return { change: await store.replace(value, { source, validators, at: clock.now() }), fault: null };
  }

  async #ask(
    source: CatalogueSource<T>,
    kept: CatalogueState,
    accepted: Accepted,
  ): Promise<Fetched<T> | { readonly fault: IpoError }> {
    try {
      const known = kept.entries > 0 && kept.source === source.name ? kept.validators : null;
      const fetched = await source.ask(known, this.#stop.signal);
      if (fetched.kind === 'new') this.#check(fetched.value, source.name, kept, accepted);
      return fetched;
    } catch (error) {
      if (isIpoError(error)) return { fault: error };
      throw error;
    }
  }

  #check(value: T, source: string, kept: CatalogueState, { acceptShrunk, acceptOlder }: Accepted): void {
    const { noun, setting, check, editionOf } = this.#kind;
    check(value, kept.entries, acceptShrunk);
    const edition = editionOf(value);
    if (kept.entries > 0 && !acceptOlder)
      checkNotOlder(edition, { ...kept, isOfSource: kept.source === source }, noun, setting);
    if (isFromTheFuture(edition, this.#deps.clock.now()))
      this.#deps.log.warn(
        `${noun} is dated in the future: check the clock of its source, and of this machine`,
        { source, released_at: edition.releasedAt },
      );
  }
}
