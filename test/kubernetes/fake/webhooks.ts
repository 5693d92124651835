import { randomUUID } from 'node:crypto';
import { Agent, request } from 'undici';
import type { Json, Kept } from './objects.ts';
import type { Place } from './kinds.ts';
import { StatusError } from './status-error.ts';

/** Caller is who asks, as the API server tells webhooks. */
export interface Caller {
  readonly username: string;
  readonly groups: readonly string[];
}

/** Asked is a write that webhooks are asked about. */
export interface Asked {
  readonly place: Place;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly object: Kept | null;
  readonly before: Kept | null;
  readonly dryRun: boolean;
  readonly caller: Caller;
}

interface Webhook {
  readonly name: string;
  readonly rules?: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly operations: readonly string[];
  }[];
  readonly failurePolicy?: 'Ignore' | 'Fail';
  readonly timeoutSeconds?: number;
  readonly namespaceSelector?: {
    readonly matchExpressions?: readonly {
      readonly key: string;
      readonly operator: string;
      readonly values?: readonly string[];
    }[];
  };
  readonly clientConfig: {
    readonly url?: string;
    readonly service?: {
      readonly namespace: string;
      readonly name: string;
      readonly path?: string;
      readonly port?: number;
    };
    readonly caBundle?: string;
  };
}

/** HostOf gives where a Service leads to (its `externalName`, the one kind that leads to loopback); null for none. */
export type HostOf = (namespace: string, name: string) => string | null;

/** askWebhooks asks every validating webhook whose rules match, as the API server does; gives their warnings. Throws what they refuse. */
export async function askWebhooks(
  configurations: readonly Json[],
  asked: Asked,
  namespaceLabels: Readonly<Record<string, string>>,
  hostOf: HostOf,
): Promise<string[]> {
  const webhooks = configurations.flatMap((one) => (one['webhooks'] ?? []) as Webhook[]);
  const answers = await Promise.all(
    webhooks
      .filter((webhook) => matches(webhook, asked, namespaceLabels))
      .map((webhook) => ask(webhook, asked, hostOf)),
  );
  return answers.flat();
}

function matches(
  { rules = [], namespaceSelector }: Webhook,
  { place, operation }: Asked,
  labels: Readonly<Record<string, string>>,
): boolean {
  const resource =
    place.subresource === null ? place.kind.plural : `${place.kind.plural}/${place.subresource}`;
  const hit = rules.some(
    (rule) =>
      rule.apiGroups.includes(place.kind.group) &&
      (rule.resources.includes(resource) || rule.resources.includes('*')) &&
      (rule.operations.includes(operation) || rule.operations.includes('*')),
  );
  if (!hit) return false;
  return (namespaceSelector?.matchExpressions ?? []).every(({ key, operator, values = [] }) => {
    const inside = values.includes(labels[key] ?? '');
    return operator === 'In'
      ? inside
      : operator === 'NotIn'
        ? !inside
        : operator === 'Exists'
          ? key in labels
          : !(key in labels);
  });
}

async function ask(
  { name, clientConfig, failurePolicy = 'Fail', timeoutSeconds = 10 }: Webhook,
  asked: Asked,
  hostOf: HostOf,
): Promise<string[]> {
  const { place, operation, object, before, dryRun, caller } = asked;
  const { kind, namespace } = place;
  const { group, version } = kind;
  const uid = randomUUID();
  const told = { group, version, kind: kind.kind };
  const resource = { group, version, resource: kind.plural };
  const subject = object ?? before;
  const { service, caBundle } = clientConfig;
  const agent = new Agent({
    connect: {
      ...(caBundle !== undefined && { ca: Buffer.from(caBundle, 'base64').toString('utf8') }),
      // A Service is called wherever it leads to, and shows the certificate of its own name.
      ...(service !== undefined && { servername: `${service.name}.${service.namespace}.svc` }),
    },
  });
  try {
    const { body, statusCode } = await request(clientConfig.url ?? urlOf(service, hostOf), {
      method: 'POST',
      dispatcher: agent,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        apiVersion: 'admission.k8s.io/v1',
        kind: 'AdmissionReview',
        request: {
          uid,
          kind: told,
          resource,
          requestKind: told,
          requestResource: resource,
          ...(place.subresource !== null && {
            subResource: place.subresource,
            requestSubResource: place.subresource,
          }),
          name: subject?.metadata.name ?? '',
          ...(namespace !== null && { namespace }),
          operation,
          userInfo: caller,
          object,
          oldObject: before,
          dryRun,
          options: {},
        },
      }),
      signal: AbortSignal.timeout(timeoutSeconds * 1000),
    });
    const review = (await body.json()) as {
      response?: { uid?: string; allowed?: boolean; status?: { message?: string }; warnings?: string[] };
    };
    if (statusCode !== 200 || review.response?.uid !== uid)
      throw new Error(`the webhook answered ${statusCode}`);
    const { allowed, status, warnings = [] } = review.response;
    if (allowed === true) return warnings;
    throw new StatusError(
      403,
      'Forbidden',
      `admission webhook "${name}" denied the request: ${status?.message ?? ''}`,
    );
  } catch (error) {
    if (error instanceof StatusError) throw error;
    if (failurePolicy === 'Ignore') return [];
    throw new StatusError(500, 'InternalError', `failed calling webhook "${name}": ${String(error)}`);
  } finally {
    await agent.close();
  }
}

function urlOf(service: Webhook['clientConfig']['service'], hostOf: HostOf): string {
  const host = service === undefined ? null : hostOf(service.namespace, service.name);
  if (service === undefined || host === null) throw new Error('the Service of the webhook leads nowhere');
  return `https://${host}:${service.port ?? 443}${service.path ?? '/'}`;
}
