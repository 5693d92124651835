import { byCodeUnit } from '../base/index.ts';
import { compareDigits } from './digits.ts';

const VERSION = /^\d+(?:\.[0-9A-Za-z]+)*(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

/** compareGem orders versions as RubyGems does: letters make a prerelease, zeros at an end say nothing. Null where one is not a version. */
export function compareGem(a: string, b: string): number | null {
  if (!VERSION.test(a) || !VERSION.test(b)) return null;
  const [left, right] = [segments(a), segments(b)];
  for (let i = 0; i < Math.max(left.length, right.length); i += 1) {
    const [one, other] = [left[i] ?? '0', right[i] ?? '0'];
    const [isNumber, otherIsNumber] = [/^\d/.test(one), /^\d/.test(other)];
    if (isNumber !== otherIsNumber) return isNumber ? 1 : -1;
    const order = isNumber ? compareDigits(one, other) : byCodeUnit(one, other);
    if (order !== 0) return order;
  }
  return 0;
}

/** Without zeros at the end and before the first letters: `1.0.a` is `1.a`. */
function segments(text: string): readonly string[] {
  const all = text.replaceAll('-', '.pre.').match(/\d+|[A-Za-z]+/g) ?? [];
  const mark = all.findIndex((segment) => /^[A-Za-z]/.test(segment));
  const [numbers, rest] = mark === -1 ? [all, []] : [all.slice(0, mark), all.slice(mark)];
  return [...withoutZeros(numbers), ...withoutZeros(rest)];
}

function withoutZeros(parts: readonly string[]): readonly string[] {
  const last = parts.findLastIndex((part) => !/^0+$/.test(part));
  return parts.slice(0, last + 1);
}
