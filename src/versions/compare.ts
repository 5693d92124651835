import { compareApk } from './apk.ts';
import { compareDeb } from './deb.ts';
import { compareGem } from './gem.ts';
import { compareMaven } from './maven.ts';
import { comparePypi } from './pypi.ts';
import { compareRpm } from './rpm.ts';
import { compareSemver } from './semver.ts';

type Compare = (a: string, b: string) => number | null;

/** By type of package URL. Of others no order is known here. */
const BY_TYPE: ReadonlyMap<string, Compare> = new Map([
  ['apk', compareApk],
  ['cargo', compareSemver],
  ['deb', compareDeb],
  ['gem', compareGem],
  ['golang', compareSemver],
  ['hex', compareSemver],
  ['maven', compareMaven],
  ['npm', compareSemver],
  ['nuget', (a, b) => compareSemver(a.toLowerCase(), b.toLowerCase())],
  ['pub', compareSemver],
  ['pypi', comparePypi],
  ['rpm', compareRpm],
  ['semver', compareSemver],
]);

/** A version is no longer than this, in any ecosystem. */
const MAX_VERSION = 512;

/**
 * compareVersions orders two versions of a package of a type (of its package URL, or `semver`): below 0 where the first is the older, 0
 * where they are the same. Null where that cannot be told: an order that is not known here, or what is not a version there.
 */
export function compareVersions(type: string, a: string, b: string): number | null {
  if (a.length > MAX_VERSION || b.length > MAX_VERSION) return null;
  return BY_TYPE.get(type)?.(a, b) ?? null;
}
