import type { AuditAction, AuditLog, Principal } from '../../accounts/index.ts';
import { formatTime } from '../../base/index.ts';
import type { EndOfLife, KnownExploited } from '../../catalogues/index.ts';
import type { VulnerabilityDatabase } from '../../scan/index.ts';
import { toDatabaseBody, toKevBody, toReleaseBody } from '../catalogue-bodies.ts';
import { catalogueRefreshQuery, cataloguesRefreshedSchema } from '../contract/catalogues.ts';
import { route, type Route } from '../route.ts';

/** CatalogueParts are what the routes of catalogues act through. */
export interface CatalogueParts {
  readonly kev: Pick<KnownExploited, 'refresh' | 'state'>;
  readonly endOfLife: Pick<EndOfLife, 'refresh' | 'state'>;
  readonly database: Pick<VulnerabilityDatabase, 'refresh' | 'state'>;
  readonly audit: AuditLog;
}

/** Scans that are under way end before the database is replaced; an administrator is kept waiting so long for them. */
const PATIENCE_MS = 45_000;

/** catalogueRoutes let an administrator have catalogues and the vulnerability database refreshed at once. */
export function catalogueRoutes({ kev, endOfLife, database, audit }: CatalogueParts): Route[] {
  return [
    route({
      key: 'POST /catalogues/refresh',
      id: 'refreshCatalogues',
      tag: 'catalogues',
      summary: 'Ask the sources of the catalogues and of the vulnerability database at once',
      description:
        'Otherwise they are asked every 6 hours. The answer comes when findings are marked by what is new. A source that cannot be ' +
        'used is an answer like any other: see `outcome`. The database is that of the replica which answers.',
      query: catalogueRefreshQuery,
      answers: { 200: { description: 'What came of it', schema: cataloguesRefreshedSchema } },
      handle: async ({ query, principal, path }) => {
        const { accept_shrunk: acceptShrunk = false, accept_older: acceptOlder = false } = query;
        const accepted = { accept_shrunk: acceptShrunk, accept_older: acceptOlder };
        const { accountId, name } = principal as Principal;
        const record = (action: AuditAction, target: string, detail: Readonly<Record<string, unknown>>) =>
          audit.record({ actor: { accountId, name }, action, target, path, detail });
        const [known, releases, databased] = await Promise.all([
          kev.refresh({ acceptShrunk, acceptOlder }),
          endOfLife.refresh({ acceptShrunk, acceptOlder }),
          database.refresh(PATIENCE_MS, { acceptOlder }),
        ]);
        const { change } = known;
        const state = await database.state();
        await record('catalogue_refresh', 'kev', {
          outcome: known.outcome,
          added: change.added,
          removed: change.removed,
          images: known.images,
          ...accepted,
        });
        if (releases.outcome !== 'off')
          await record('catalogue_refresh', 'end_of_life', {
            outcome: releases.outcome,
            changed: releases.change,
            images: releases.images,
            ...accepted,
          });
        await record('vulnerability_db_refresh', 'trivy_db', {
          outcome: databased.outcome,
          accept_older: acceptOlder,
          version: state.version,
          updated_at: state.updatedAt === null ? null : formatTime(state.updatedAt),
        });
        return {
          body: {
            catalogues: [
              toKevBody(known, await kev.state()),
              toReleaseBody(releases, await endOfLife.state()),
              toDatabaseBody(databased, state),
            ],
          },
        };
      },
    }),
  ];
}
