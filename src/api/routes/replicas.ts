import type { Principal } from '../../accounts/index.ts';
import { formatTime } from '../../base/index.ts';
import type { ReplicaList, ReplicaStanding } from '../../replicas/index.ts';
import { problemSchema } from '../contract/problem.ts';
import { replicaPath, replicasSchema, type ReplicaBody } from '../contract/replicas.ts';
import { route, type Route } from '../route.ts';

/** ReplicasParts are what the routes of replicas act through; forgetting one writes its own audit entry. */
export interface ReplicasParts {
  readonly replicas: Pick<ReplicaList, 'list' | 'forget'>;
}

const PROBLEM = { schema: problemSchema, type: 'application/problem+json' } as const;

/** replicasRoutes show which replicas may hold rows that the database has not, and let an administrator forget one. */
export function replicasRoutes({ replicas }: ReplicasParts): Route[] {
  return [
    route({
      key: 'GET /system/replicas',
      id: 'listReplicas',
      tag: 'system',
      summary: 'List the replicas of the cluster, and which of them may hold rows of reviews',
      description:
        'While a replica spools or is missing, sweeps skip the pods that it may have reviewed. An ended replica stays listed for 90 days.',
      answers: { 200: { description: 'The replicas', schema: replicasSchema } },
      handle: async () => {
        const items = (await replicas.list()).map(toBody);
        return { body: { items, total: items.length } };
      },
    }),
    route({
      key: 'DELETE /system/replicas/{name}',
      id: 'forgetReplica',
      tag: 'system',
      summary: 'Forget a replica that is missing',
      description:
        'The rows that it may hold count as lost from then on: pods that only it reviewed are recorded as unreviewed, and may be stopped ' +
        'where enforcement allows that. If its volume is found after all, its rows are put back.',
      params: replicaPath,
      answers: {
        204: { description: 'It is forgotten' },
        404: { ...PROBLEM, description: 'No replica has this name' },
        409: { ...PROBLEM, description: 'It is not missing' },
      },
      handle: async ({ principal, params, path }) => {
        const { accountId, name } = principal as Principal;
        await replicas.forget(params.name, { accountId, name }, path);
        return { status: 204 };
      },
    }),
  ];
}

function toBody({ line, state }: ReplicaStanding): ReplicaBody {
  const { name, startedAt, seenAt, holdingSince, rows, cleanAt, endedAt, forgottenAt } = line;
  return {
    name,
    state,
    started_at: formatTime(startedAt),
    seen_at: formatTime(seenAt),
    ...(holdingSince !== null && { holding_since: formatTime(holdingSince) }),
    rows,
    ...(cleanAt !== null && { accounted_until: formatTime(cleanAt) }),
    ...(endedAt !== null && { ended_at: formatTime(endedAt) }),
    ...(forgottenAt !== null && { forgotten_at: formatTime(forgottenAt) }),
  };
}
