import { byCodeUnit } from '../base/index.ts';
import { compareDigits } from './digits.ts';

const VERSION = /^[vV]?(\d+(?:\.\d+){0,3})(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/;

/**
 * compareSemver orders versions by Semantic Versioning 2.0.0; parts that are left out are 0, and a fourth one counts, as NuGet has it. Null
 * where one is not a version.
 */
export function compareSemver(a: string, b: string): number | null {
  const [left, right] = [VERSION.exec(a), VERSION.exec(b)];
  if (left === null || right === null) return null;
  const [numbers, others] = [(left[1] ?? '').split('.'), (right[1] ?? '').split('.')];
  for (let i = 0; i < 4; i += 1) {
    const order = compareDigits(numbers[i] ?? '', others[i] ?? '');
    if (order !== 0) return order;
  }
  return comparePrerelease(left[2], right[2]);
}

function comparePrerelease(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? 1 : -1;
  const [left, right] = [a.split('.'), b.split('.')];
  for (let i = 0; i < Math.max(left.length, right.length); i += 1) {
    const [one, other] = [left[i], right[i]];
    if (one === undefined || other === undefined) return one === undefined ? -1 : 1;
    const [isNumber, otherIsNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)];
    if (isNumber !== otherIsNumber) return isNumber ? -1 : 1;
    const order = isNumber ? compareDigits(one, other) : byCodeUnit(one, other);
    if (order !== 0) return order;
  }
  return 0;
}
