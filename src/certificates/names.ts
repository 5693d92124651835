/** certificateNames gives the names of a Service, the shortest first; the API server calls by that with `.svc`. */
export function certificateNames(service: string, namespace: string): readonly string[] {
  return [
    service,
    `${service}.${namespace}`,
    `${service}.${namespace}.svc`,
    `${service}.${namespace}.svc.cluster.local`,
  ];
}
