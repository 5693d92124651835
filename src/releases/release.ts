/** ReleaseNote is one thing that a person has to know or do who upgrades over a release. */
export interface ReleaseNote {
  /** The key of a chart value, of a field of a stored document, or of what else it is about. */
  readonly name: string;
  readonly note: string;
}

/** Release is one release of the service, as users of its upgrades see it. */
export interface Release {
  readonly version: string;
  /** The day that it was published: `2026-10-15`. */
  readonly date: string;
  readonly substance: string;
  /** The first and the last of the migrations that it brings; null for none. */
  readonly migrations: readonly [first: number, last: number] | null;
  /** Why the image by itself is not enough and the chart must be upgraded with it; null where it is. */
  readonly chart: string | null;
  /** Chart values that it adds, all with defaults. */
  readonly newValues: readonly string[];
  /** Chart values that it does not read any more. */
  readonly unreadValues: readonly ReleaseNote[];
  /** Chart values that a list replaces as a whole, so that its former entries must be repeated. */
  readonly repeatedValues: readonly ReleaseNote[];
  /** Chart values that must be cleared where somebody set them by hand. */
  readonly clearedValues: readonly ReleaseNote[];
  /** Fields and documents that it refuses from then on. */
  readonly refused: readonly ReleaseNote[];
  /** Why nobody should stay on it; null for a sound one. */
  readonly defect: string | null;
}

/** A release with what most of them have none of left out. */
type Written = Pick<Release, 'version' | 'date' | 'substance'> & Partial<Release>;

/** release fills in what was left out. */
export function release(written: Written): Release {
  return {
    migrations: null,
    chart: null,
    newValues: [],
    unreadValues: [],
    repeatedValues: [],
    clearedValues: [],
    refused: [],
    defect: null,
    ...written,
  };
}
