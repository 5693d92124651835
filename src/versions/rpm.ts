import { byCodeUnit } from '../base/index.ts';
import { compareDigits } from './digits.ts';

const VERSION = /^(?:(\d{1,9}):)?([^\s:-]+)(?:-([^\s:-]+))?$/;

/** compareRpm orders versions as rpm does: epoch, version, release; null where one is not a version. */
export function compareRpm(a: string, b: string): number | null {
  const [left, right] = [VERSION.exec(a), VERSION.exec(b)];
  if (left === null || right === null) return null;
  return (
    compareDigits(left[1] ?? '', right[1] ?? '') ||
    comparePart(left[2] ?? '', right[2] ?? '') ||
    comparePart(left[3] ?? '', right[3] ?? '')
  );
}

/** As rpmvercmp: segments of digits or letters; other characters only divide, but for `~` (before the end) and `^` (behind it). */
function comparePart(a: string, b: string): number {
  if (a === b) return 0;
  const [left, right] = [segments(a), segments(b)];
  for (let i = 0; ; i += 1) {
    const [one, other] = [left[i], right[i]];
    if (one === undefined && other === undefined) return 0;
    if (one === '~' || other === '~') {
      if (one !== other) return one === '~' ? -1 : 1;
    } else if (one === '^' || other === '^') {
      if (one === undefined) return -1;
      if (other === undefined) return 1;
      if (one !== other) return one === '^' ? -1 : 1;
    } else if (one === undefined || other === undefined) {
      return one === undefined ? -1 : 1;
    } else {
      const order = compareSegment(one, other);
      if (order !== 0) return order;
    }
  }
}

function segments(text: string): readonly string[] {
  return text.match(/\d+|[A-Za-z]+|[~^]/g) ?? [];
}

/** Digits are newer than letters. */
function compareSegment(a: string, b: string): number {
  const [left, right] = [/^\d/.test(a), /^\d/.test(b)];
  if (left && right) return compareDigits(a, b);
  if (left !== right) return left ? 1 : -1;
  return byCodeUnit(a, b);
}
