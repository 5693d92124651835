import { Catalogue, type CatalogueDeps, type CatalogueKind } from './catalogue.service.ts';
import { checkCatalogue, type KevCatalogue } from './kev.ts';

/** KevChange is how a catalogue differs from the one that it replaced. */
export interface KevChange {
  /** CVEs that came in and went out. */
  readonly added: number;
  readonly removed: number;
  /** CVEs that stay with other dates. */
  readonly redated: number;
}

const NOUN = 'the catalogue of known exploited vulnerabilities';

const KEV: CatalogueKind<KevCatalogue, KevChange> = {
  noun: NOUN,
  setting: 'kev.source',
  editionOf: (catalogue) => catalogue,
  check: checkCatalogue,
  same: { added: 0, removed: 0, redated: 0 },
  isNew: ({ added, removed, redated }) => added + removed + redated > 0,
  news: `${NOUN} is a new one`,
  tell: (change, { version, entries }) => ({ version, entries, ...change }),
  marksByTime: false,
};

/** KnownExploited keeps the catalogue of known exploited vulnerabilities up to date, and findings with it. */
export class KnownExploited extends Catalogue<KevCatalogue, KevChange> {
  constructor(deps: CatalogueDeps<KevCatalogue, KevChange>) {
    super(KEV, deps);
  }
}
