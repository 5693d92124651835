/** DAY_MS is 24 hours in milliseconds; the days of a what-if are these, whatever the calendar says. */
export const DAY_MS = 86_400_000;

const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * parseTime reads an RFC 3339 time and gives milliseconds since 1970 UTC, or NaN when the text is none. Microseconds
 * stand behind the point (the API server writes them, and the edge of a period is exact); what is finer is cut off. It
 * is on the path of every replayed row, hence no regular expression and no Date: what its parts cannot read is NaN, and so is their sum.
 */
export function parseTime(text: string): number {
  if (text.length < 20 || text.length > 64) return NaN;
  const separator = text.charCodeAt(10);
  if (separator !== 84 && separator !== 116) return NaN;
  const zoneAt = text.charCodeAt(19) === 46 ? endOfFraction(text) : 19;
  const minutes = minutesOf(text) - offsetOf(text, zoneAt);
  return daysOf(text) * DAY_MS + minutes * 60_000 + millisecondsOf(text, zoneAt);
}

/** The date at the start, in days since 1970-01-01 of the proleptic Gregorian calendar; year 0 counts as in ISO 8601. */
function daysOf(text: string): number {
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  if (text.charCodeAt(4) !== 45 || text.charCodeAt(7) !== 45) return NaN;
  if (!(year >= 0 && month >= 1 && month <= 12)) return NaN;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const inMonth = month === 2 && leap ? 29 : (DAYS_IN_MONTH[month - 1] ?? 0);
  if (!(day >= 1 && day <= inMonth)) return NaN;
  const before = year - 1;
  const leaps = Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400);
  const dayOfYear = (DAYS_BEFORE_MONTH[month - 1] ?? 0) + (leap && month > 2 ? 1 : 0) + day - 1;
  return before * 365 + leaps + dayOfYear - 719_162;
}

/** Hours and minutes of the day, in minutes. */
function minutesOf(text: string): number {
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  if (text.charCodeAt(13) !== 58 || text.charCodeAt(16) !== 58) return NaN;
  return hour <= 23 && minute <= 59 ? hour * 60 + minute : NaN;
}

/** Seconds and their fraction, which ends where the zone begins, in milliseconds. */
function millisecondsOf(text: string, zoneAt: number): number {
  const second = twoDigits(text, 17);
  if (!(second <= 60)) return NaN;
  // A leap second is the last moment of its minute, whatever its fraction.
  if (second === 60) return 59_999;
  if (zoneAt === 19) return second * 1000;
  let micros = 0;
  for (let at = 20; at < 26; at += 1) micros = micros * 10 + (at < zoneAt ? digitOf(text.charCodeAt(at)) : 0);
  return second * 1000 + micros / 1000;
}

/** Where the digits behind the point end; when there are none, at the point, which offsetOf refuses. */
function endOfFraction(text: string): number {
  let at = 20;
  while (digitOf(text.charCodeAt(at)) < 10) at += 1;
  return at === 20 ? 19 : at;
}

/** The zone, which must be the end of the text, in minutes. */
function offsetOf(text: string, zoneAt: number): number {
  const zone = text.charCodeAt(zoneAt);
  if (zone === 90 || zone === 122) return zoneAt + 1 === text.length ? 0 : NaN;
  if (zone !== 43 && zone !== 45) return NaN;
  const hours = twoDigits(text, zoneAt + 1);
  const minutes = twoDigits(text, zoneAt + 4);
  if (text.charCodeAt(zoneAt + 3) !== 58 || zoneAt + 6 !== text.length) return NaN;
  if (!(hours <= 23 && minutes <= 59)) return NaN;
  return (hours * 60 + minutes) * (zone === 45 ? -1 : 1);
}

/** Numbers with leading zeros, up to 59 and 999. */
const [TWO_DIGITS, THREE_DIGITS] = [2, 3].map((width) =>
  Array.from({ length: 10 ** width }, (_, number) => String(number).padStart(width, '0')),
) as [string[], string[]];
/** Rows stand by time, so that the minute of the last time is most often that of the next. */
const last = { minute: NaN, text: '' };

/** formatTime writes milliseconds as RFC 3339 UTC, with as many digits behind the second as are needed, up to six. */
export function formatTime(ms: number): string {
  const micros = Math.round((ms - Math.floor(ms)) * 1000);
  const whole = Math.floor(ms) + (micros === 1000 ? 1 : 0);
  const minute = Math.floor(whole / 60_000);
  if (minute !== last.minute) {
    last.text = new Date(minute * 60_000).toISOString().slice(0, -'00.000Z'.length);
    last.minute = minute;
  }
  const inMinute = whole - minute * 60_000;
  const second = Math.floor(inMinute / 1000);
  const text = last.text + (TWO_DIGITS[second] ?? '');
  const millis = inMinute - second * 1000;
  const isExact = micros === 0 || micros === 1000;
  if (millis === 0 && isExact) return `${text}Z`;
  return `${text}.${THREE_DIGITS[millis] ?? ''}${isExact ? '' : (THREE_DIGITS[micros] ?? '')}Z`;
}

/** Reads two decimal digits; NaN when one is missing. */
function twoDigits(text: string, at: number): number {
  const tens = digitOf(text.charCodeAt(at));
  const ones = digitOf(text.charCodeAt(at + 1));
  return tens < 10 && ones < 10 ? tens * 10 + ones : NaN;
}

/** The digit of a character, or 10 and more for any other one, or none. */
function digitOf(code: number): number {
  return code ^ 48;
}

/** microTime writes a time as Kubernetes' MicroTime: RFC 3339 with six digits. */
export function microTime(at: number): string {
  return new Date(at).toISOString().replace('Z', '000Z');
}

/** formatMinute writes a time, in UTC milliseconds, as people read it: `2026-11-20 06:00 UTC`. */
export function formatMinute(at: number): string {
  return `${formatTime(at).slice(0, 16).replace('T', ' ')} UTC`;
}
