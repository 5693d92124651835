import { UsageError } from './usage.ts';

/** parseWhole reads a whole number of a flag within bounds. `word` is what the caller takes beside a number. Throws UsageError. */
export function parseWhole(
  flag: string,
  text: string,
  least: number,
  most: number,
  what: string,
  word?: string,
): number {
  const value = /^[0-9]{1,15}$/.test(text) ? Number(text) : NaN;
  if (!(value >= least && value <= most)) {
    const range =
      most === Number.MAX_SAFE_INTEGER
        ? `a whole number of at least ${least}`
        : `a whole number from ${least} to ${most}`;
    const near = Math.min(Math.max(least, 30), most);
    throw new UsageError(
      `${flag} ${text || '""'}: ${what} must be ${range}${word === undefined ? '' : `, or ${word}`}`,
      flag.startsWith('--') ? `Write for example ${flag} ${near}` : undefined,
    );
  }
  return value;
}
