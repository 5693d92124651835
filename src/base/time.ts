/** DAY_MS is 24 hours in milliseconds; the days of a what-if are these, whatever the calendar says. */
export const DAY_MS = 86_400_000;

const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * parseTime reads an RFC 3339 time and gives milliseconds since 1970 UTC, or NaN when the text is none. Microseconds
 * stand behind the point (the API server writes them, and the edge of a period is exact); what is finer is cut off. It
 * is on the path of every replayed row, hence no regular expression and no Date.
 */
export function parseTime(text: string): number {
  const length = text.length;
  if (length < 20 || length > 64) return NaN;
  const year = digits(text, 0, 4);
  const month = digits(text, 5, 2);
  const day = digits(text, 8, 2);
  const hour = digits(text, 11, 2);
  const minute = digits(text, 14, 2);
  const second = digits(text, 17, 2);
  if (text.charCodeAt(4) !== 45 || text.charCodeAt(7) !== 45) return NaN;
  if (text.charCodeAt(13) !== 58 || text.charCodeAt(16) !== 58) return NaN;
  const separator = text.charCodeAt(10);
  if (separator !== 84 && separator !== 116) return NaN;
  if (!(year >= 0 && month >= 1 && month <= 12 && hour <= 23 && minute <= 59 && second <= 60)) return NaN;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const inMonth = month === 2 && leap ? 29 : (DAYS_IN_MONTH[month - 1] ?? 0);
  if (!(day >= 1 && day <= inMonth)) return NaN;

  let at = 19;
  let micros = 0;
  if (text.charCodeAt(at) === 46) {
    let scale = 100_000;
    at += 1;
    const start = at;
    for (; at < length; at += 1) {
      const digit = text.charCodeAt(at) - 48;
      if (digit < 0 || digit > 9) break;
      if (scale >= 1) micros += digit * scale;
      scale /= 10;
    }
    if (at === start) return NaN;
  }
  let offset = 0;
  const zone = text.charCodeAt(at);
  if (zone === 90 || zone === 122) {
    if (at + 1 !== length) return NaN;
  } else if (zone === 43 || zone === 45) {
    const hours = digits(text, at + 1, 2);
    const minutes = digits(text, at + 4, 2);
    if (text.charCodeAt(at + 3) !== 58 || at + 6 !== length || !(hours <= 23 && minutes <= 59)) return NaN;
    offset = (hours * 60 + minutes) * (zone === 45 ? -1 : 1);
  } else {
    return NaN;
  }
  // Days since 1970-01-01 of the proleptic Gregorian calendar; year 0 counts as in ISO 8601.
  const before = year - 1;
  const leaps = Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400);
  const dayOfYear = (DAYS_BEFORE_MONTH[month - 1] ?? 0) + (leap && month > 2 ? 1 : 0) + day - 1;
  const days = before * 365 + leaps + dayOfYear - 719_162;
  // A leap second is the last moment of its minute, whatever its fraction.
  const inMinute = second === 60 ? 59_999 : second * 1000 + micros / 1000;
  return days * DAY_MS + (hour * 60 + minute - offset) * 60_000 + inMinute;
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

/** Reads exactly `count` decimal digits at `from`; NaN when one is missing. */
function digits(text: string, from: number, count: number): number {
  let value = 0;
  for (let i = from; i < from + count; i += 1) {
    const digit = text.charCodeAt(i) - 48;
    if (!(digit >= 0 && digit <= 9)) return NaN;
    value = value * 10 + digit;
  }
  return value;
}

/** microTime writes a time as Kubernetes' MicroTime: RFC 3339 with six digits. */
export function microTime(at: number): string {
  return new Date(at).toISOString().replace('Z', '000Z');
}

/** formatMinute writes a time, in UTC milliseconds, as people read it: `2026-11-20 06:00 UTC`. */
export function formatMinute(at: number): string {
  return `${formatTime(at).slice(0, 16).replace('T', ' ')} UTC`;
}
