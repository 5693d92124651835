import { IpoError, nearest, printable } from '../../src/base/index.ts';
import { findRelease, NEWEST, releasesBetween, RELEASES, type Release } from '../../src/releases/index.ts';
import { UsageError } from '../terminal/usage.ts';

/** theRelease gives the release of a version. Throws IpoError `not_found`, with the version that was probably meant. */
export function theRelease(version: string): Release {
  const found = findRelease(version);
  if (found !== null) return found;
  const versions = RELEASES.map((one) => one.version);
  const close = nearest(version, versions);
  throw new IpoError('not_found', `no release has the version ${printable(version) || '""'}`, {
    hint: close === null ? 'See ipo release list' : `Did you mean ${close}? See ipo release list`,
  });
}

/** releasesIn gives the releases of a range FROM..TO, without FROM, the newest first. Throws UsageError, and what theRelease throws. */
export function releasesIn(range: string): readonly Release[] {
  const [from, to, more] = range.split('..');
  if (from === undefined || from === '' || to === undefined || more !== undefined)
    throw new UsageError(
      `${printable(range) || '""'} is not a range of versions`,
      'Write it as 1.3.1..1.3.7, or 1.3.1.. for all since 1.3.1',
    );
  const [first, last] = [theRelease(from), theRelease(to === '' ? NEWEST : to)];
  if (RELEASES.indexOf(last) > RELEASES.indexOf(first))
    throw new UsageError(
      `${printable(range)} runs backwards: ${last.version} is older than ${first.version}`,
      `Write it as ${last.version}..${first.version}`,
    );
  return releasesBetween(first, last).toReversed();
}
