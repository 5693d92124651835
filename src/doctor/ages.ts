export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** ageOf writes how long something is, roughly: `54m`, `26h`, `9d`. */
export function ageOf(milliseconds: number): string {
  if (milliseconds < HOUR) return `${Math.max(0, Math.floor(milliseconds / MINUTE))}m`;
  return milliseconds < 3 * DAY
    ? `${Math.floor(milliseconds / HOUR)}h`
    : `${Math.floor(milliseconds / DAY)}d`;
}

/** isoOf writes a time to the second. */
export function isoOf(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
}
