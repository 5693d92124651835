import {
  KubernetesApi,
  openKubeconfig,
  pathOf,
  RESOURCES,
  type KubeList,
} from '../../adapters/kubernetes/index.ts';
import { VULNERABILITY_REPORTS } from '../../adapters/trivy-operator/index.ts';
import { isFault } from '../../cluster/index.ts';

const LISTED = {
  pods: RESOURCES.pods,
  services: RESOURCES.services,
  ingresses: RESOURCES.ingresses,
  vulnerabilityreports: VULNERABILITY_REPORTS,
} as const;

/** ListedResource is a kind that is read of a cluster. */
export type ListedResource = keyof typeof LISTED;

/** ClusterLists reads whole lists of a cluster, page by page. */
export interface ClusterLists {
  /** The context of the kubeconfig that is used. */
  readonly context: string;
  /** Each page as the API server gives it; null where the kind is not installed. Throws ClusterError. */
  pages(resource: ListedResource, take: (page: unknown) => void): Promise<'read' | 'absent'>;
  close(): Promise<void>;
}

const PAGE = 500;
/** So often a list is begun again that went stale on the way. */
const ATTEMPTS = 3;

/** openClusterLists reaches a cluster by a context of a kubeconfig. Throws ClusterError. */
export async function openClusterLists({
  path,
  context,
  version,
}: {
  readonly path: string;
  readonly context: string | null;
  readonly version: string;
}): Promise<ClusterLists> {
  const connection = await openKubeconfig(path, context);
  const api = new KubernetesApi(connection, version);
  return {
    context: connection.context,
    pages: (resource, take) => readPages(api, resource, take),
    close: () => api.close(),
  };
}

async function readPages(
  api: KubernetesApi,
  resource: ListedResource,
  take: (page: unknown) => void,
): Promise<'read' | 'absent'> {
  const { kind, apiVersion } = LISTED[resource];
  for (let attempt = 1; ; attempt += 1) {
    const pages: unknown[] = [];
    let from: string | undefined;
    try {
      do {
        const page = await api.call<KubeList<unknown>>({
          method: 'GET',
          path: pathOf(LISTED[resource]),
          query: { limit: PAGE, continue: from },
          what: `the list of ${resource}`,
          timeoutMs: 60_000,
        });
        from = page.metadata?.continue || undefined;
        // All pages are at hand when the last was read, so none of them is cut.
        pages.push({ ...page, apiVersion, kind: `${kind}List`, metadata: {} });
      } while (from !== undefined);
    } catch (error) {
      if (isFault(error, 'not_found')) return 'absent';
      if (isFault(error, 'gone') && attempt < ATTEMPTS) continue;
      throw error;
    }
    for (const page of pages) take(page);
    return 'read';
  }
}
