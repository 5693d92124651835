import type { ProvenanceEntry, SignedEntry } from '../facts/index.ts';

/** MAX_KEPT is how many characters one list of facts of a digest may keep; each entry keeps the payload that a key signed. */
export const MAX_KEPT = 4 * 1024 * 1024;

/** sizeOf counts the characters that an entry is kept with. */
function sizeOf(entry: SignedEntry | ProvenanceEntry): number {
  const { proof, ...rest } = { proof: undefined, ...entry };
  let size = (proof?.payload.length ?? 0) + (proof?.signature.length ?? 0);
  for (const value of Object.values(rest) as unknown[])
    for (const text of Array.isArray(value) ? (value as unknown[]) : [value])
      if (typeof text === 'string') size += text.length;
  return size;
}

/** keepWithin gives the entries that come to no more than MAX_KEPT, the first ones first, and how many are left out. */
export function keepWithin<T extends SignedEntry | ProvenanceEntry>(
  entries: readonly T[],
): { readonly within: readonly T[]; readonly leftOut: number } {
  let kept = 0;
  const within = entries.filter((entry) => {
    const size = sizeOf(entry);
    if (kept + size > MAX_KEPT) return false;
    kept += size;
    return true;
  });
  return { within, leftOut: entries.length - within.length };
}
