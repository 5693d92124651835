import { formatTime, type Clock } from '../../base/index.ts';
import { monthOf, type MeterStore, type NodeStanding, type NodeStandings } from '../../nodes/index.ts';
import { nodesSchema, type NodesBody } from '../contract/nodes.ts';
import { route, type Route } from '../route.ts';

/** NodesParts are what the routes of nodes are asked of. */
export interface NodesParts {
  readonly nodes: NodeStandings;
  readonly meter: Pick<MeterStore, 'names'>;
  /** Milliseconds from the first count above the ceiling until it is enforced. */
  readonly grace: number;
  readonly clock: Clock;
}

/** nodesRoutes tell how the clusters stand to their node ceiling. */
export function nodesRoutes({ nodes, meter, grace, clock }: NodesParts): Route[] {
  return [
    route({
      key: 'GET /system/nodes',
      id: 'showNodes',
      tag: 'system',
      summary: 'Show how many nodes each cluster has, and the image names of the month',
      answers: { 200: { description: 'The nodes and the meter', schema: nodesSchema } },
      handle: async () => {
        const month = monthOf(clock.now());
        const standings = await nodes.all();
        const items: NodesBody['items'] = [];
        for (const [cluster, standing] of standings) {
          const { size } = await meter.names(cluster, month);
          items.push(toItem(cluster, standing, grace, size));
        }
        const names = items.reduce((sum, item) => sum + item.names, 0);
        return { body: { items, total: items.length, month, names } };
      },
    }),
  ];
}

function toItem(
  cluster: string,
  standing: NodeStanding,
  grace: number,
  names: number,
): NodesBody['items'][number] {
  const { count, ceiling, countedAt, state, overSince } = standing;
  return {
    cluster,
    count,
    ceiling,
    counted_at: formatTime(countedAt),
    state,
    names,
    ...(overSince !== null && {
      over_since: formatTime(overSince),
      enforced_from: formatTime(overSince + grace),
    }),
  };
}
