import { failuresVersion, shortFailures, type ShortFailure } from '../scans/failures.ts';
import type { Store } from '../sql/store.ts';

/** AdmissionScanFailures keeps in memory why images could not be scanned, so that a review never waits for it. */
export class AdmissionScanFailures {
  readonly #store: Pick<Store, 'read'>;
  #version = '';
  #failures: ReadonlyMap<string, readonly ShortFailure[]> = new Map();

  constructor(store: Pick<Store, 'read'>) {
    this.#store = store;
  }

  /** Why a digest could not be scanned, by platform; none where it can, or that was not read yet. */
  of(digest: string): readonly ShortFailure[] {
    return this.#failures.get(digest) ?? [];
  }

  /** Reads what changed. Throws when the database does not answer; what was read before stands. */
  async refresh(): Promise<void> {
    const { read } = this.#store;
    const version = await failuresVersion(read);
    if (version === this.#version) return;
    this.#failures = await shortFailures(read);
    this.#version = version;
  }
}
