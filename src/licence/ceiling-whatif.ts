/** CeilingRow is one row of the ledger as the meter sees it. */
export interface CeilingRow {
  /** Milliseconds. */
  readonly at: number;
  /** `host/path` of the image. */
  readonly name: string;
}

/** CeilingWhatIf is what a ceiling of image names would have denied in one month. */
export interface CeilingWhatIf {
  readonly ceiling: number | null;
  /** Distinct names that were admitted. */
  readonly admitted: number;
  /** Names beyond the ceiling, with when each was first denied and how often, by the time of the first. */
  readonly denied: readonly { readonly name: string; readonly first: number; readonly admissions: number }[];
}

/**
 * replayCeiling goes through the admissions of a month in their order and tells which names a ceiling would have denied. A denied name is not
 * counted, so that it takes no other's place.
 */
export function replayCeiling(rows: Iterable<CeilingRow>, ceiling: number | null): CeilingWhatIf {
  const counted = new Set<string>();
  const all = new Set<string>();
  const denied = new Map<string, { name: string; first: number; admissions: number }>();
  for (const { at, name } of rows) {
    all.add(name);
    if (counted.has(name)) continue;
    if (ceiling === null || counted.size < ceiling) {
      counted.add(name);
      continue;
    }
    const before = denied.get(name);
    if (before === undefined) denied.set(name, { name, first: at, admissions: 1 });
    else before.admissions += 1;
  }
  return { ceiling, admitted: all.size, denied: [...denied.values()] };
}
