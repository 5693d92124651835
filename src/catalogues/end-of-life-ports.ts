import type { ReleaseData } from './end-of-life.ts';
import type { Validators } from './ports.ts';

/** FetchedReleases is what a source has: nothing new since the validators, or release data. */
export type FetchedReleases =
  | { readonly kind: 'same' }
  | { readonly kind: 'releases'; readonly data: ReleaseData; readonly validators: Validators };

/** ReleaseSource is where release data comes from. */
export interface ReleaseSource {
  /** As the setting has it; validators hold only for one source. */
  readonly name: string;
  /** Asks it once, without a retry, within bounds of time and size. Throws an IpoError that says what is wrong with it. */
  ask(known: Validators | null, signal: AbortSignal): Promise<FetchedReleases>;
}

/** ReleaseState is how the release data stands that is in use; times in milliseconds, null for never. */
export interface ReleaseState {
  /** How many releases; 0 for none: then only the scanner's word counts. */
  readonly entries: number;
  /** When it was made, by its own word. */
  readonly releasedAt: number | null;
  readonly fetchedAt: number | null;
  readonly checkedAt: number | null;
  /** Why the last attempt failed; null when it did not. */
  readonly lastError: string | null;
  readonly source: string | null;
  readonly validators: Validators;
}

/** ReleaseStore keeps release data, and the operating systems of scans as it calls them. */
export interface ReleaseStore {
  state(): Promise<ReleaseState>;
  /** Puts release data in the place of what there is, in one act. Gives how many releases came in, went out or have other ends. */
  replace(
    data: ReleaseData,
    from: { readonly source: string; readonly validators: Validators; readonly at: number },
  ): Promise<number>;
  checked(at: number): Promise<void>;
  failed(message: string): Promise<void>;
  /**
   * Marks the operating systems of current scans as they stand at a time, with the facts that follow, each image in a transaction of its
   * own: a day that passes ends support as well as new data. What the scanner itself calls ended stays so. Gives how many changed.
   */
  mark(at: number, signal: AbortSignal): Promise<number>;
}
