import { byCodeUnit } from '../base/index.ts';
import { compareDigits } from './digits.ts';

const VERSION =
  /^v?(?:(\d+)!)?(\d+(?:\.\d+)*)(?:[-_.]?(alpha|a|beta|b|preview|pre|c|rc)[-_.]?(\d*))?(?:-(\d+)|[-_.]?(post|rev|r)[-_.]?(\d*))?(?:[-_.]?(dev)[-_.]?(\d*))?(?:\+([a-z0-9]+(?:[-_.][a-z0-9]+)*))?$/;

const PRE: Readonly<Record<string, number>> = {
  alpha: 1,
  a: 1,
  beta: 2,
  b: 2,
  c: 3,
  rc: 3,
  pre: 3,
  preview: 3,
};

/** comparePypi orders versions by PEP 440; null where one is not a version. */
export function comparePypi(a: string, b: string): number | null {
  const [left, right] = [partsOf(a), partsOf(b)];
  if (left === null || right === null) return null;
  return (
    compareDigits(left.epoch, right.epoch) ||
    compareRelease(left.release, right.release) ||
    left.preRank - right.preRank ||
    compareDigits(left.pre, right.pre) ||
    // A version behind which there is a post release is before it.
    Number(left.isPost) - Number(right.isPost) ||
    compareDigits(left.post, right.post) ||
    // A development release is before what it leads to.
    Number(!left.isDev) - Number(!right.isDev) ||
    compareDigits(left.dev, right.dev) ||
    compareLocal(left.local, right.local)
  );
}

/** Parts of a version, in the order in which they are compared; numbers as their digits. */
interface Parts {
  readonly epoch: string;
  readonly release: string;
  readonly preRank: number;
  readonly pre: string;
  readonly isPost: boolean;
  readonly post: string;
  readonly isDev: boolean;
  readonly dev: string;
  readonly local: string | undefined;
}

function partsOf(version: string): Parts | null {
  const match = VERSION.exec(version.trim().toLowerCase());
  if (match === null) return null;
  const [, epoch = '', release = '', , pre = '', post, , otherPost = '', devWord, dev = '', local] = match;
  return {
    epoch,
    release,
    preRank: preRank(match),
    pre,
    isPost: isPost(match),
    post: post ?? otherPost,
    isDev: devWord !== undefined,
    dev,
    local,
  };
}

type Match = RegExpExecArray;

/** A development release of no other kind is before the first alpha; a final release and its post releases are behind all. */
function preRank(match: Match): number {
  const pre = PRE[match[3] ?? ''];
  if (pre !== undefined) return pre;
  return match[8] !== undefined && !isPost(match) ? 0 : 4;
}

function isPost(match: Match): boolean {
  return match[5] !== undefined || match[6] !== undefined;
}

function compareRelease(a: string, b: string): number {
  const [left, right] = [a.split('.'), b.split('.')];
  for (let i = 0; i < Math.max(left.length, right.length); i += 1) {
    const order = compareDigits(left[i] ?? '', right[i] ?? '');
    if (order !== 0) return order;
  }
  return 0;
}

function compareLocal(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
  const [left, right] = [a.split(/[-_.]/), b.split(/[-_.]/)];
  for (let i = 0; i < Math.max(left.length, right.length); i += 1) {
    const [one, other] = [left[i], right[i]];
    if (one === undefined || other === undefined) return one === undefined ? -1 : 1;
    const [isNumber, otherIsNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)];
    if (isNumber !== otherIsNumber) return isNumber ? 1 : -1;
    const order = isNumber ? compareDigits(one, other) : byCodeUnit(one, other);
    if (order !== 0) return order;
  }
  return 0;
}
