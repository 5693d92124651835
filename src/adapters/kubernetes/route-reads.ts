import {
  ingressObject,
  RouteTable,
  serviceObject,
  toIngressRoute,
  toServiceRoute,
  type ExposureIndex,
  type IngressRoute,
  type ServiceRoute,
} from '../../pods/index.ts';
import type { Informer, OpenInformer } from './informer.ts';
import { RESOURCES } from './resources.ts';

/** RouteReads are what leads to pods from outside. */
export interface RouteReads {
  readonly exposure: ExposureIndex;
  readonly services: Informer<ServiceRoute>;
  readonly ingresses: Informer<IngressRoute>;
}

/** openRouteReads opens the informers of Services and Ingresses; `changed` is called after each change. */
export function openRouteReads(open: OpenInformer, changed: () => void): RouteReads {
  const routes = new RouteTable();
  /** Takes over what changed; after a list, what is not there any more as well. */
  const follow = <T>(
    held: () => ReadonlyMap<string, T>,
    set: (key: string, route: T | undefined) => void,
  ) => {
    const known = new Set<string>();
    return (keys: readonly string[] | null): void => {
      changed();
      const objects = held();
      for (const key of keys ?? new Set([...known, ...objects.keys()])) {
        const route = objects.get(key);
        set(key, route);
        if (route === undefined) known.delete(key);
        else known.add(key);
      }
    };
  };
  const services = open<ServiceRoute>(
    RESOURCES.services,
    (object) => {
      const read = serviceObject.safeParse(object);
      return read.success ? toServiceRoute(read.data, object.metadata?.namespace ?? '') : null;
    },
    { onChange: (keys) => servicesChanged(keys) },
  );
  const servicesChanged = follow(
    () => services.objects,
    (key, route) => routes.setService(key, route),
  );
  const ingresses = open<IngressRoute>(
    RESOURCES.ingresses,
    (object) => {
      const read = ingressObject.safeParse(object);
      return read.success ? toIngressRoute(read.data, object.metadata?.namespace ?? '') : null;
    },
    { onChange: (keys) => ingressesChanged(keys) },
  );
  const ingressesChanged = follow(
    () => ingresses.objects,
    (key, route) => routes.setIngress(key, route),
  );
  return { exposure: routes, services, ingresses };
}
