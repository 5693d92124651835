import { byCodeUnit } from '../base/index.ts';
/** compareDigits orders numbers of any length that are written in digits. */
export function compareDigits(a: string, b: string): number {
  const [left, right] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')];
  return left.length - right.length || byCodeUnit(left, right);
}
