import type { CatalogueSource, KevCatalogue, KevPlace } from '../../catalogues/index.ts';
import { MAX_CATALOGUE_BYTES, readKevCatalogue } from './kev-catalogue.ts';
import { openFeed, type FeedKind, type FeedOptions } from './open-feed.ts';

const CATALOGUE: FeedKind<KevCatalogue> = {
  words: { noun: 'catalogue', setting: 'kev.source', mount: '/etc/kev/' },
  max: MAX_CATALOGUE_BYTES,
  read: readKevCatalogue,
};

/** openKevSource makes the source of the catalogue that the setting names; null where there is none to ask. See openFeed. */
export function openKevSource(
  name: string,
  place: KevPlace,
  options?: FeedOptions,
): CatalogueSource<KevCatalogue> | null {
  return openFeed(name, place, CATALOGUE, options);
}
