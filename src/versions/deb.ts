import { compareDigits } from './digits.ts';

const VERSION = /^(?:(\d{1,9}):)?([0-9A-Za-z.+~][0-9A-Za-z.+~-]*?)(?:-([0-9A-Za-z.+~]+))?$/;

/** compareDeb orders versions as dpkg does (deb-version(7)); null where one is not a version. */
export function compareDeb(a: string, b: string): number | null {
  const [left, right] = [VERSION.exec(a), VERSION.exec(b)];
  if (left === null || right === null || a.endsWith('-') || b.endsWith('-')) return null;
  return (
    compareDigits(left[1] ?? '', right[1] ?? '') ||
    comparePart(left[2] ?? '', right[2] ?? '') ||
    comparePart(left[3] ?? '', right[3] ?? '')
  );
}

/**
 * Runs of what is not a digit and runs of digits by turns. A tilde is before all, the end included; letters are before other characters.
 */
function comparePart(a: string, b: string): number {
  const left: string[] = a.match(/\D+|\d+/g) ?? [];
  const right: string[] = b.match(/\D+|\d+/g) ?? [];
  // A part that begins with digits has an empty run before them.
  if (/^\d/.test(a)) left.unshift('');
  if (/^\d/.test(b)) right.unshift('');
  for (let i = 0; i < Math.max(left.length, right.length); i += 1) {
    const [one, other] = [left[i] ?? '', right[i] ?? ''];
    const order = i % 2 === 1 ? compareDigits(one, other) : compareText(one, other);
    if (order !== 0) return order;
  }
  return 0;
}

function compareText(a: string, b: string): number {
  for (let i = 0; i < Math.max(a.length, b.length); i += 1) {
    const order = weight(a[i]) - weight(b[i]);
    if (order !== 0) return order;
  }
  return 0;
}

function weight(character: string | undefined): number {
  if (character === undefined) return 0;
  if (character === '~') return -1;
  const code = character.charCodeAt(0);
  return /[A-Za-z]/.test(character) ? code : code + 256;
}
