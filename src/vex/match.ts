/** Match is whether one thing is another, as far as it can be told. */
export type Match = 'yes' | 'no' | 'unknown';

/** allOf is `yes` where all are, and `no` where one is. */
export function allOf(matches: readonly Match[]): Match {
  if (matches.includes('no')) return 'no';
  return matches.includes('unknown') ? 'unknown' : 'yes';
}
