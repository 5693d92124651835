import type { AuditLog, Principal } from '../../accounts/index.ts';
import { formatTime } from '../../base/index.ts';
import {
  CatalogueError,
  type KevRefresh,
  type KevState,
  type KnownExploited,
} from '../../catalogues/index.ts';
import {
  catalogueRefreshQuery,
  cataloguesRefreshedSchema,
  type CataloguesRefreshedBody,
} from '../contract/catalogues.ts';
import { route, type Route } from '../route.ts';

/** CatalogueParts are what the routes of catalogues act through. */
export interface CatalogueParts {
  readonly kev: Pick<KnownExploited, 'refresh' | 'state'>;
  readonly audit: AuditLog;
}

/** catalogueRoutes let an administrator have catalogues refreshed at once. */
export function catalogueRoutes({ kev, audit }: CatalogueParts): Route[] {
  return [
    route({
      key: 'POST /catalogues/refresh',
      id: 'refreshCatalogues',
      tag: 'catalogues',
      summary: 'Ask the sources of the catalogues at once',
      description:
        'Otherwise they are asked every 6 hours. The answer comes when findings are marked by what is new. A source that cannot be ' +
        'used is an answer like any other: see `outcome`.',
      query: catalogueRefreshQuery,
      answers: { 200: { description: 'What came of it', schema: cataloguesRefreshedSchema } },
      handle: async ({ query, principal, path }) => {
        const acceptShrunk = query.accept_shrunk ?? false;
        const refreshed = await kev.refresh({ acceptShrunk });
        const { outcome, change, images } = refreshed;
        const { accountId, name } = principal as Principal;
        await audit.record({
          actor: { accountId, name },
          action: 'catalogue_refresh',
          target: 'kev',
          path,
          detail: {
            outcome,
            added: change.added,
            removed: change.removed,
            images,
            accept_shrunk: acceptShrunk,
          },
        });
        return { body: toBody(refreshed, await kev.state()) };
      },
    }),
  ];
}

function toBody(refreshed: KevRefresh, state: KevState): CataloguesRefreshedBody {
  const { outcome, fault, change, images } = refreshed;
  if (outcome === 'stopped') throw new CatalogueError('unavailable', 'the service is stopping');
  return {
    catalogues: [
      {
        name: 'kev',
        outcome,
        ...(fault !== null && { message: fault.message }),
        ...(fault?.hint !== undefined && { hint: fault.hint }),
        ...(state.version !== null && { version: state.version }),
        entries: state.entries,
        added: change.added,
        removed: change.removed,
        images,
        ...(state.fetchedAt !== null && { fetched_at: formatTime(state.fetchedAt) }),
        ...(state.checkedAt !== null && { checked_at: formatTime(state.checkedAt) }),
      },
    ],
  };
}
