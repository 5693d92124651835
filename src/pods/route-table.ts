import { Exposure, type IngressRoute, type ServiceRoute } from './exposure.ts';
import type { ExposureIndex } from './exposure.ts';

/** RouteTable holds the Services and Ingresses of a cluster by namespace, and makes the exposure of one when a pod of it is reviewed. */
export class RouteTable implements ExposureIndex {
  readonly #services = new Map<string, Map<string, ServiceRoute>>();
  readonly #ingresses = new Map<string, Map<string, IngressRoute>>();
  readonly #made = new Map<string, Exposure>();

  of(namespace: string, labels: ReadonlyMap<string, string>): string | null {
    let exposure = this.#made.get(namespace);
    if (exposure === undefined) {
      const services = this.#services.get(namespace);
      const ingresses = this.#ingresses.get(namespace);
      exposure = new Exposure([...(services?.values() ?? [])], [...(ingresses?.values() ?? [])]);
      this.#made.set(namespace, exposure);
    }
    return exposure.of(namespace, labels);
  }

  /** Takes what stands under `namespace/name` now; undefined where there is none any more. */
  setService(key: string, route: ServiceRoute | undefined): void {
    this.#set(this.#services, key, route);
  }

  setIngress(key: string, route: IngressRoute | undefined): void {
    this.#set(this.#ingresses, key, route);
  }

  #set<T>(all: Map<string, Map<string, T>>, key: string, route: T | undefined): void {
    const namespace = key.slice(0, key.indexOf('/'));
    this.#made.delete(namespace);
    let inside = all.get(namespace);
    if (route === undefined) {
      inside?.delete(key);
      if (inside?.size === 0) all.delete(namespace);
      return;
    }
    if (inside === undefined) all.set(namespace, (inside = new Map()));
    inside.set(key, route);
  }
}
