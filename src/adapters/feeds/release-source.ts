import type { KevPlace, ReleaseSource } from '../../catalogues/index.ts';
import { openFeed, type FeedOptions } from './open-feed.ts';
import { readReleaseData } from './release-data.ts';

/** ReleaseSourceOptions say how it is fetched. */
export type ReleaseSourceOptions = FeedOptions;

const RELEASE_DATA = {
  words: { noun: 'release data', setting: 'endOfLife.source', mount: '/etc/end-of-life/' },
  // What is published of all products has some megabytes.
  max: 64 * 1024 * 1024,
  read: readReleaseData,
};

/** openReleaseSource makes the source of the release data of operating systems that the setting names; null where there is none to ask. See openFeed. */
export function openReleaseSource(
  name: string,
  place: KevPlace,
  options?: ReleaseSourceOptions,
): ReleaseSource | null {
  const feed = openFeed(place, RELEASE_DATA, options);
  if (feed === null) return null;
  return {
    name,
    async ask(known, signal) {
      const asked = await feed(known, signal);
      if (asked.kind === 'same') return asked;
      return { kind: 'releases', data: asked.value, validators: asked.validators };
    },
  };
}
