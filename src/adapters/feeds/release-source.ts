import type { CatalogueSource, KevPlace, ReleaseData } from '../../catalogues/index.ts';
import { openFeed, type FeedKind, type FeedOptions } from './open-feed.ts';
import { readReleaseData } from './release-data.ts';

const RELEASE_DATA: FeedKind<ReleaseData> = {
  words: { noun: 'release data', setting: 'endOfLife.source', mount: '/etc/end-of-life/' },
  // What is published of all products has some megabytes.
  max: 64 * 1024 * 1024,
  read: readReleaseData,
};

/** openReleaseSource makes the source of the release data of operating systems that the setting names; null where there is none to ask. See openFeed. */
export function openReleaseSource(
  name: string,
  place: KevPlace,
  options?: FeedOptions,
): CatalogueSource<ReleaseData> | null {
  return openFeed(name, place, RELEASE_DATA, options);
}
