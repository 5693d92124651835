import { byCodeUnit } from '../base/index.ts';
import { compareDigits } from './digits.ts';

const VERSION =
  /^(\d+(?:\.\d+)*)([a-z])?((?:_(?:alpha|beta|pre|rc|cvs|svn|git|hg|p)\d*)*)(?:~[0-9a-f]+)?(?:-r(\d+))?$/;

/** The suffixes, those before a version and those behind it. */
const SUFFIXES = ['alpha', 'beta', 'pre', 'rc', '', 'cvs', 'svn', 'git', 'hg', 'p'];

/** compareApk orders versions as the package manager of Alpine does; null where one is not a version. */
export function compareApk(a: string, b: string): number | null {
  const [left, right] = [VERSION.exec(a), VERSION.exec(b)];
  if (left === null || right === null) return null;
  return (
    compareNumbers(left[1] ?? '', right[1] ?? '') ||
    byCodeUnit(left[2] ?? '', right[2] ?? '') ||
    compareSuffixes(left[3] ?? '', right[3] ?? '') ||
    // Without a revision it is before the first one.
    compareRevision(left[4], right[4])
  );
}

/** A part behind the first that begins with 0 is a fraction: `1.05` is before `1.1`, and `1.1` before `1.10`. */
function compareNumbers(a: string, b: string): number {
  const [left, right] = [a.split('.'), b.split('.')];
  for (let i = 0; i < Math.max(left.length, right.length); i += 1) {
    const [one, other] = [left[i], right[i]];
    if (one === undefined || other === undefined) return one === undefined ? -1 : 1;
    const isFraction = i > 0 && (one.startsWith('0') || other.startsWith('0'));
    const order = isFraction ? byCodeUnit(one, other) : compareDigits(one, other);
    if (order !== 0) return order;
  }
  return 0;
}

function compareSuffixes(a: string, b: string): number {
  const [left, right] = [a.split('_').slice(1), b.split('_').slice(1)];
  for (let i = 0; i < Math.max(left.length, right.length); i += 1) {
    const [one, other] = [left[i] ?? '', right[i] ?? ''];
    const [name, otherName] = [one.replace(/\d+$/, ''), other.replace(/\d+$/, '')];
    const order =
      SUFFIXES.indexOf(name) - SUFFIXES.indexOf(otherName) ||
      compareDigits(one.slice(name.length), other.slice(otherName.length));
    if (order !== 0) return order;
  }
  return 0;
}

function compareRevision(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
  return compareDigits(a, b);
}
