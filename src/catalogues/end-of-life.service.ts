import { Catalogue, type CatalogueDeps, type CatalogueKind } from './catalogue.service.ts';
import { checkReleaseData, type ReleaseData } from './end-of-life.ts';

/** ReleaseChange is how many releases came in, went out or have other ends. */
export type ReleaseChange = number;

const NOUN = 'the release data of operating systems';

const RELEASES: CatalogueKind<ReleaseData, ReleaseChange> = {
  noun: NOUN,
  setting: 'endOfLife.source',
  editionOf: ({ releasedAt = null }) => ({ version: null, releasedAt }),
  check: checkReleaseData,
  same: 0,
  isNew: (changed) => changed > 0,
  news: `${NOUN} is new`,
  tell: (changed) => ({ changed }),
  // What is kept ends with the days.
  marksByTime: true,
};

/** EndOfLife keeps release data of operating systems up to date, and the scans with it: "from the scanner, else the release data". */
export class EndOfLife extends Catalogue<ReleaseData, ReleaseChange> {
  constructor(deps: CatalogueDeps<ReleaseData, ReleaseChange>) {
    super(RELEASES, deps);
  }
}
