const NS_OF_SECOND = 1_000_000_000n;
const NS_OF_MINUTE = 60n * NS_OF_SECOND;
const NS_OF_HOUR = 60n * NS_OF_MINUTE;
const UNIT_NS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: NS_OF_SECOND,
  m: NS_OF_MINUTE,
  h: NS_OF_HOUR,
};
const MAX_NS = 9_223_372_036_854_775_807n;
const WHOLE = /^(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h)/;

/**
 * parseDuration reads a Go duration string (`168h`, `1h30m`, `1.5s`) and gives milliseconds, or null when the
 * text is none. Go's own limits and rounding hold: at most about 292 years; a bare number but `0` has no unit and is
 * refused.
 */
export function parseDuration(text: string): number | null {
  if (text.length === 0 || text.length > 64) return null;
  const negative = text.startsWith('-');
  let rest = negative || text.startsWith('+') ? text.slice(1) : text;
  if (rest === '0') return 0;
  if (rest === '') return null;
  let total = 0n;
  while (rest !== '') {
    const part = WHOLE.exec(rest)?.[0];
    if (part === undefined) return null;
    total += partNs(part);
    if (total > (negative ? MAX_NS + 1n : MAX_NS)) return null;
    rest = rest.slice(part.length);
  }
  const ms = Number(`${total}e-6`); // rounded once, also where the nanoseconds have more than 53 bits
  return negative && ms > 0 ? -ms : ms;
}

/** The nanoseconds of a number with its unit. */
function partNs(part: string): bigint {
  const number = /^[0-9.]+/.exec(part)?.[0] ?? '';
  const unit = UNIT_NS[part.slice(number.length)] ?? 0n;
  const [whole = '', fraction = ''] = number.split('.');
  return BigInt(whole === '' ? '0' : whole) * unit + (fraction === '' ? 0n : fractionNs(fraction, unit));
}

/** As Go does: digits beyond 63 bits are dropped, and the rest is multiplied in floating point. */
function fractionNs(digits: string, unit: bigint): bigint {
  let value = 0n;
  let scale = 1;
  for (const digit of digits) {
    const next = value * 10n + BigInt(digit);
    if (value > MAX_NS / 10n || next > MAX_NS + 1n) break;
    value = next;
    scale *= 10;
  }
  return BigInt(Math.trunc(Number(value) * (Number(unit) / scale)));
}

/**
 * formatDuration writes a finite number of milliseconds, to the nanosecond, in the shortest Go form with hours as
 * the largest unit: `168h`, `1h30m`, `0.000000001s`. What parseDuration gave is given again by reading it.
 */
export function formatDuration(ms: number): string {
  const whole = Math.trunc(Math.abs(ms));
  const total = BigInt(whole) * 1_000_000n + BigInt(Math.round((Math.abs(ms) - whole) * 1e6));
  if (total === 0n) return '0s';
  const part = (count: bigint, unit: string): string => (count > 0n ? `${count}${unit}` : '');
  const seconds = (total % NS_OF_MINUTE) / NS_OF_SECOND;
  const fraction = `${total % NS_OF_SECOND}`.padStart(9, '0').replace(/0+$/, '');
  return [
    ms < 0 ? '-' : '',
    part(total / NS_OF_HOUR, 'h'),
    part((total % NS_OF_HOUR) / NS_OF_MINUTE, 'm'),
    fraction === '' ? part(seconds, 's') : `${seconds}.${fraction}s`,
  ].join('');
}
