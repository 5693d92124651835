import { releasesBody } from '../../releases/index.ts';
import { releasesSchema } from '../contract/releases.ts';
import { pageSchema } from '../contract/paging.ts';
import { route, type Route } from '../route.ts';

/** releasesRoutes list the releases of the service. */
export function releasesRoutes(): Route[] {
  return [
    route({
      key: 'GET /releases',
      id: 'listReleases',
      tag: 'system',
      summary: 'List the releases, with what to know before an upgrade',
      query: pageSchema,
      answers: { 200: { description: 'The releases, the newest first', schema: releasesSchema } },
      handle: ({ query: { limit, offset = 0 } }) => {
        const { items, total } = releasesBody();
        const end = limit === undefined ? undefined : offset + limit;
        return { body: { items: items.slice(offset, end), total } };
      },
    }),
  ];
}
