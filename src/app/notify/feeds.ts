import type { EndOfLife, KnownExploited } from '../../catalogues/index.ts';
import { catalogueStates, type Store } from '../../store/index.ts';
import type { Feed, NoticeParts } from './notice-jobs.ts';

/** wantedFeeds gives how the catalogues stand that a source is set for, by their names. */
export function wantedFeeds(
  store: Store,
  {
    kev,
    endOfLife,
  }: { readonly kev: Pick<KnownExploited, 'off'>; readonly endOfLife: Pick<EndOfLife, 'off' | 'state'> },
  database: { readonly off: boolean },
): NoticeParts['feeds'] {
  return async () => {
    const states = await catalogueStates(store);
    const wanted: Record<string, Feed> = {};
    if (!kev.off) wanted['catalogue of known exploited vulnerabilities'] = states.kev;
    if (!database.off) wanted['vulnerability database'] = states.trivyDb;
    if (!endOfLife.off) wanted['release data of operating systems'] = await endOfLife.state();
    return wanted;
  };
}
