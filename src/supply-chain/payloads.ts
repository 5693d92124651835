import type { SignedEntry } from '../facts/index.ts';

/** MAX_KEPT is how many characters of signed payloads one list of facts of a digest may keep; each entry keeps its own. */
export const MAX_KEPT = 4 * 1024 * 1024;

/** keepWithin gives the entries whose payloads come to no more than MAX_KEPT, the first ones first, and how many are left out. */
export function keepWithin<T extends SignedEntry>(
  entries: readonly T[],
): { readonly within: readonly T[]; readonly leftOut: number } {
  let kept = 0;
  const within = entries.filter(({ payload, signature }) => {
    const size = (payload?.length ?? 0) + (signature?.length ?? 0);
    if (kept + size > MAX_KEPT) return false;
    kept += size;
    return true;
  });
  return { within, leftOut: entries.length - within.length };
}
