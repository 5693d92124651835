import * as z from 'zod/mini';
import { byCodeUnit } from '../base/index.ts';
import { list, text, texts } from './bounded.ts';
import { objectMeta } from './pod.ts';

/** serviceObject reads of a Service what decides whether it leads to a pod from outside. */
export const serviceObject = z.object({
  metadata: objectMeta,
  spec: z.nullish(
    z.object({
      type: text,
      selector: texts(),
      externalIPs: list(z.string()),
    }),
  ),
});

/** Since networking.k8s.io/v1 a backend names its Service one level deeper. */
const backend = z.nullish(z.object({ serviceName: text, service: z.nullish(z.object({ name: text })) }));

/** ingressObject reads of an Ingress, of any version, which Services it routes to. */
export const ingressObject = z.object({
  metadata: objectMeta,
  spec: z.nullish(
    z.object({
      backend,
      defaultBackend: backend,
      rules: list(z.object({ http: z.nullish(z.object({ paths: list(z.object({ backend })) })) })),
    }),
  ),
});

/** ServiceRoute is a Service with the pods it selects. */
export interface ServiceRoute {
  readonly namespace: string;
  readonly name: string;
  /** All of these labels; a Service without any selects nothing. */
  readonly selector: readonly (readonly [string, string])[];
  /** Whether it can be reached from outside the cluster by itself. */
  readonly open: boolean;
}

/** IngressRoute is an Ingress with the Services of its namespace that it routes to. */
export interface IngressRoute {
  readonly namespace: string;
  readonly name: string;
  readonly services: ReadonlySet<string>;
}

/** toServiceRoute gives the route of a Service as read; an `ExternalName` leads to no pod. */
export function toServiceRoute(
  { metadata, spec }: z.infer<typeof serviceObject>,
  namespace: string,
): ServiceRoute {
  const type = spec?.type ?? 'ClusterIP';
  const selector = type === 'ExternalName' ? {} : (spec?.selector ?? {});
  return {
    namespace,
    name: metadata?.name ?? metadata?.generateName ?? '',
    selector: Object.entries(selector).map(([key, value]) => [key, value ?? ''] as const),
    open: type === 'LoadBalancer' || type === 'NodePort' || (spec?.externalIPs ?? []).length > 0,
  };
}

/** toIngressRoute gives the route of an Ingress as read. */
export function toIngressRoute(
  { metadata, spec }: z.infer<typeof ingressObject>,
  namespace: string,
): IngressRoute {
  const paths = (spec?.rules ?? []).flatMap(({ http }) => http?.paths ?? []);
  const backends = [spec?.defaultBackend, spec?.backend, ...paths.map((path) => path.backend)];
  const services = backends.flatMap((one) => one?.service?.name ?? one?.serviceName ?? []);
  return { namespace, name: metadata?.name ?? metadata?.generateName ?? '', services: new Set(services) };
}

/** ExposureIndex tells what leads to a pod from outside its cluster. `Exposure` is one. */
export interface ExposureIndex {
  /** `Service ns/name` or `Ingress ns/name`, or null. */
  of(namespace: string, labels: ReadonlyMap<string, string>): string | null;
  /** Why it cannot tell yet, as a sentence; absent or null when it can. No review is answered before. */
  unready?(): string | null;
  /** Since when it could not be brought up to date, in milliseconds; absent or null while it is. */
  staleSince?(): number | null;
}

/** Exposure finds what leads to a pod from outside, among the Services and Ingresses of its namespace. */
export class Exposure {
  readonly #services = new Map<string, ServiceRoute[]>();
  readonly #ingresses = new Map<string, IngressRoute[]>();

  constructor(services: readonly ServiceRoute[], ingresses: readonly IngressRoute[]) {
    fill(this.#services, services);
    fill(this.#ingresses, ingresses);
  }

  /**
   * Gives `Service ns/name` for one that is open to the outside and selects the pod, else `Ingress ns/name` for one
   * that routes to a Service which selects it, else null. Of several the first by name.
   */
  of(namespace: string, labels: ReadonlyMap<string, string>): string | null {
    const selecting = (this.#services.get(namespace) ?? []).filter(
      ({ selector }) => selector.length > 0 && selector.every(([key, value]) => labels.get(key) === value),
    );
    const service = selecting.find(({ open }) => open);
    if (service !== undefined) return `Service ${namespace}/${service.name}`;
    if (selecting.length === 0) return null;
    const names = selecting.map(({ name }) => name);
    const ingress = (this.#ingresses.get(namespace) ?? []).find(({ services }) =>
      names.some((name) => services.has(name)),
    );
    return ingress === undefined ? null : `Ingress ${namespace}/${ingress.name}`;
  }
}

function fill<T extends { readonly namespace: string; readonly name: string }>(
  by: Map<string, T[]>,
  routes: readonly T[],
): void {
  for (const route of routes.toSorted((a, b) => byCodeUnit(a.name, b.name))) {
    const there = by.get(route.namespace);
    if (there === undefined) by.set(route.namespace, [route]);
    else there.push(route);
  }
}
