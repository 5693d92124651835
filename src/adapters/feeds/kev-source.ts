import type { KevPlace, KevSource } from '../../catalogues/index.ts';
import { MAX_CATALOGUE_BYTES, readKevCatalogue } from './kev-catalogue.ts';
import { openFeed, type FeedOptions } from './open-feed.ts';

/** KevSourceOptions say how it is fetched. */
export type KevSourceOptions = FeedOptions;

const CATALOGUE = {
  words: { noun: 'catalogue', setting: 'kev.source', mount: '/etc/kev/' },
  max: MAX_CATALOGUE_BYTES,
  read: readKevCatalogue,
};

/** openKevSource makes the source of the catalogue that the setting names; null where there is none to ask. See openFeed. */
export function openKevSource(name: string, place: KevPlace, options?: KevSourceOptions): KevSource | null {
  const feed = openFeed(place, CATALOGUE, options);
  if (feed === null) return null;
  return {
    name,
    async ask(known, signal) {
      const asked = await feed(known, signal);
      if (asked.kind === 'same') return asked;
      return { kind: 'catalogue', catalogue: asked.value, validators: asked.validators };
    },
  };
}
