import type { KevCatalogue } from './kev.ts';

/** Validators are what a server gave to ask it later whether anything is new; null where it gave none. */
export interface Validators {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** FetchedKev is what a source has: nothing new since the validators, or a catalogue. */
export type FetchedKev =
  | { readonly kind: 'same' }
  | { readonly kind: 'catalogue'; readonly catalogue: KevCatalogue; readonly validators: Validators };

/** KevSource is where the catalogue comes from. */
export interface KevSource {
  /** As the setting has it; validators hold only for one source. */
  readonly name: string;
  /** Asks it once, without a retry, within bounds of time and size. Throws an IpoError that says what is wrong with it. */
  ask(known: Validators | null, signal: AbortSignal): Promise<FetchedKev>;
}

/** KevState is how the catalogue stands that is in use; times in milliseconds, null for never. */
export interface KevState {
  /** 0 for none: findings are then neither known exploited nor not. */
  readonly entries: number;
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

/** KevChange is how a catalogue differs from the one that it replaced. */
export interface KevChange {
  /** CVEs that came in and went out. */
  readonly added: number;
  readonly removed: number;
  /** CVEs that stay with other dates. */
  readonly redated: number;
}

/** KevStore keeps the catalogue, and findings as it calls them. */
export interface KevStore {
  state(): Promise<KevState>;
  /** Puts a catalogue in the place of the one there is, in one act. */
  replace(
    catalogue: KevCatalogue,
    from: { readonly source: string; readonly validators: Validators; readonly at: number },
  ): Promise<KevChange>;
  /** Notes that the source has nothing new. */
  checked(at: number): Promise<void>;
  /** Notes why an attempt failed. */
  failed(message: string): Promise<void>;
  /**
   * Marks the findings of current scans as the catalogue has them, with the facts that follow, each image in a transaction of its own;
   * nothing to do where that was done since the catalogue changed. An abort ends it after an image, and the next call goes on. Gives
   * how many images changed.
   */
  mark(at: number, signal: AbortSignal): Promise<number>;
}
