/** formatCount writes a whole number with commas between thousands, the same on every machine. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** counted writes a count with its noun: `1 row`, `5,000 rows`. The plural is the noun with an s unless given. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : plural}`;
}

/**
 * formatShare writes a part of a whole as a percentage with one decimal. What is there never reads as 0 %, and what
 * is not all never as 100 %.
 */
export function formatShare(part: number, whole: number): string {
  if (whole <= 0 || part <= 0) return '0 %';
  if (part >= whole) return '100 %';
  const share = (part / whole) * 100;
  if (share < 0.1) return '< 0.1 %';
  return share > 99.9 ? '> 99.9 %' : `${share.toFixed(1)} %`;
}
