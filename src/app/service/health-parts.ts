import type { ApiOptions } from '../../api/index.ts';
import { catalogueStates, type Store } from '../../store/index.ts';
import type { Metrics } from '../../telemetry/index.ts';

/** observedBy counts the calls of the API. */
export function observedBy(metrics: Pick<Metrics, 'add' | 'observe'>): NonNullable<ApiOptions['observe']> {
  return ({ method, route, status, seconds }) => {
    const labels = { method, route: route ?? 'none' };
    metrics.add('svc_http_requests_total', { ...labels, status: String(status) });
    metrics.observe('svc_http_request_seconds', seconds, labels);
  };
}

/** feedStates tells how catalogues stand; why an attempt failed is of no matter any more where none is made. */
export async function feedStates(
  store: Store,
  feeds: Readonly<Record<'kev' | 'trivyDb', { readonly off: boolean }>>,
) {
  const { kev, trivyDb } = await catalogueStates(store);
  return {
    kev: feeds.kev.off ? { ...kev, lastError: null } : kev,
    trivyDb: feeds.trivyDb.off ? { ...trivyDb, lastError: null } : trivyDb,
  };
}
