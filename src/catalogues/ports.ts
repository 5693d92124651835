/** Validators are what a server gave to ask it later whether anything is new; null where it gave none. */
export interface Validators {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** Fetched is what a source has: nothing new since the validators, or a catalogue. */
export type Fetched<T> =
  | { readonly kind: 'same' }
  | { readonly kind: 'new'; readonly value: T; readonly validators: Validators };

/** CatalogueSource is where a catalogue comes from. */
export interface CatalogueSource<T> {
  /** As the setting has it; validators hold only for one source. */
  readonly name: string;
  /** Asks it once, without a retry, within bounds of time and size. Throws an IpoError that says what is wrong with it. */
  ask(known: Validators | null, signal: AbortSignal): Promise<Fetched<T>>;
}

/** CatalogueState is how the catalogue stands that is in use; times in milliseconds, null for never. */
export interface CatalogueState {
  /** How many; 0 for none: then the catalogue says nothing of anything. */
  readonly entries: number;
  /** Null where it has none, or does not say. */
  readonly version: string | null;
  /** When it was released, by its own word. */
  readonly releasedAt: number | null;
  /** When it was fetched, and when a source was last seen to have nothing else. */
  readonly fetchedAt: number | null;
  readonly checkedAt: number | null;
  /** Why the last attempt failed; null when it did not. */
  readonly lastError: string | null;
  /** Where it came from, and what that source gave to ask again with. */
  readonly source: string | null;
  readonly validators: Validators;
}

/** CatalogueStore keeps a catalogue, and what it says of scans and findings. `C` is how one differs from the one that it replaced. */
export interface CatalogueStore<T, C> {
  state(): Promise<CatalogueState>;
  /** Puts a catalogue in the place of the one there is, in one act. */
  replace(
    catalogue: T,
    from: { readonly source: string; readonly validators: Validators; readonly at: number },
  ): Promise<C>;
  /** Notes that the source has nothing new. */
  checked(at: number): Promise<void>;
  /** Notes why an attempt failed. */
  failed(message: string): Promise<void>;
  /**
   * Marks current scans, or their findings, as the catalogue has them at a time, with the facts that follow, each image in a transaction of
   * its own. An abort ends it after an image, and the next call goes on. Gives how many images changed.
   */
  mark(at: number, signal: AbortSignal): Promise<number>;
}
