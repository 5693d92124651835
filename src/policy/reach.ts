/** Reach compares what two lists let through: the same, more, less, or some more and some less. */
export type Reach = 'same' | 'wider' | 'narrower' | 'other';

/** Covers tells whether whatever passes the second entry also passes the first. */
export type Covers<T> = (entry: T, other: T) => boolean;

/** compareReach tells how the reach of a list of entries changed, where one entry is enough to pass. */
export function compareReach<T>(before: readonly T[], after: readonly T[], covers: Covers<T>): Reach {
  const noMore = after.every((entry) => before.some((other) => covers(other, entry)));
  const noLess = before.every((entry) => after.some((other) => covers(other, entry)));
  if (noMore) return noLess ? 'same' : 'narrower';
  return noLess ? 'wider' : 'other';
}
