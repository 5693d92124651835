import type { Principal } from '../../accounts/index.ts';
import { formatTime } from '../../base/index.ts';
import type { Licences, LicenceView } from '../../licence/index.ts';
import {
  activateSchema,
  licenceRequestSchema,
  licenceSchema,
  type LicenceBody,
} from '../contract/licence.ts';
import { problemSchema } from '../contract/problem.ts';
import { route, type Route } from '../route.ts';

/** LicenceParts are what the routes of the licence act through; each act writes its own audit entry. */
export interface LicenceParts {
  readonly licences: Pick<Licences, 'view' | 'request' | 'activate' | 'deactivate' | 'checkNow'>;
  /** Keys that may sign, as they are set. */
  readonly publicKeys: readonly string[];
  readonly usage: () => Promise<{
    readonly month: string;
    readonly imageNames: number;
    readonly nodes: number | null;
  }>;
}

const PROBLEM = { schema: problemSchema, type: 'application/problem+json' } as const;
const SHOWN = { 200: { description: 'The licence', schema: licenceSchema } } as const;

/** licenceRoutes show the licence of the cluster, and let an administrator activate a certificate. */
export function licenceRoutes(parts: LicenceParts): Route[] {
  const { licences } = parts;
  return [
    route({
      key: 'GET /system/licence',
      id: 'showLicence',
      tag: 'system',
      summary: 'Show the licence certificate, its ceilings, and what is used of them',
      answers: SHOWN,
      handle: async () => ({ body: await bodyOf(parts, await licences.view()) }),
    }),
    route({
      key: 'PUT /system/licence',
      id: 'activateLicence',
      tag: 'system',
      summary: 'Activate a licence certificate',
      body: activateSchema,
      answers: {
        ...SHOWN,
        400: { ...PROBLEM, description: 'The certificate is rejected; `detail` says why' },
      },
      handle: async ({ body, principal, path }) => {
        const view = await licences.activate(body.certificate, actorOf(principal), path);
        return { body: await bodyOf(parts, view) };
      },
    }),
    route({
      key: 'DELETE /system/licence',
      id: 'deactivateLicence',
      tag: 'system',
      summary: 'Take the licence certificate out, and its ceilings with it',
      answers: {
        204: { description: 'There is no certificate any more' },
        404: { ...PROBLEM, description: 'No certificate is active' },
      },
      handle: async ({ principal, path }) => {
        await licences.deactivate(actorOf(principal), path);
        return { status: 204 };
      },
    }),
    route({
      key: 'POST /system/licence/request',
      id: 'requestLicence',
      tag: 'system',
      summary: 'Make an activation request, which a certificate is issued for',
      description: 'From then on, a certificate for an earlier request is rejected.',
      answers: { 200: { description: 'The request', schema: licenceRequestSchema } },
      handle: async ({ principal, path }) => ({ body: await licences.request(actorOf(principal), path) }),
    }),
    route({
      key: 'POST /system/licence/check',
      id: 'checkLicence',
      tag: 'system',
      summary: 'Ask the licence service for the certificate now',
      answers: { ...SHOWN, 409: { ...PROBLEM, description: 'No licence service is set up' } },
      handle: async ({ principal, path, signal }) => {
        const view = await licences.checkNow(actorOf(principal), path, signal);
        return { body: await bodyOf(parts, view) };
      },
    }),
  ];
}

function actorOf(principal: Principal | null): { accountId: string; name: string } {
  const { accountId, name } = principal as Principal;
  return { accountId, name };
}

async function bodyOf({ publicKeys, usage }: LicenceParts, view: LicenceView): Promise<LicenceBody> {
  const { body, stored, clusters } = view;
  const { nodes, imageNames, month } = await usage();
  const ceiling = (stored?.certificate ?? null) === null ? null : stored?.ceiling;
  return {
    cluster: view.cluster,
    cluster_id: view.clusterId,
    installation_id: view.installationId,
    state: view.state,
    certificate:
      body === null
        ? null
        : {
            id: body.id,
            customer: body.customer,
            key_id: body.key_id,
            issued_at: body.issued_at,
            not_after: body.not_after,
            signed_by: view.signedBy,
          },
    ceiling: {
      nodes: ceiling?.nodes ?? null,
      image_names: ceiling?.imageNames ?? null,
      clusters: ceiling?.clusters ?? null,
    },
    usage: { month, image_names: imageNames, nodes, clusters },
    activated_at: moment(stored?.activatedAt),
    request_id: view.requestId,
    key_id: view.keyId,
    online: view.online,
    checked_at: moment(stored?.checkedAt),
    next_check_at: moment(view.nextCheckAt),
    last_error: stored?.lastError ?? null,
    public_keys: [...publicKeys],
    warnings: [...view.warnings],
  };
}

function moment(at: number | null | undefined): string | null {
  return at === null || at === undefined ? null : formatTime(at);
}
