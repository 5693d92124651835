import { isFault, type ReportKind, type ReportObjects, type WrittenReport } from '../../cluster/index.ts';
import { MANAGER, type KubernetesApi } from './api.ts';
import { pathOf, RESOURCES, type KubeList, type KubeObject, type Resource } from './resources.ts';

/** HASH marks a report with what it was made from, so that it is written only when that changes. */
const HASH = 'ipo.dev/content-hash';
const MANAGED = { 'app.kubernetes.io/managed-by': MANAGER };
const SELECTOR = `app.kubernetes.io/managed-by=${MANAGER}`;

/** imageReportObjects keeps ClusterImageReport objects. */
export function imageReportObjects(api: KubernetesApi): ReportObjects {
  const resource = RESOURCES.imageReports;
  const keeper = reportKeeper(api, resource);
  return {
    ...keeper,
    async write(report, content) {
      const { spec, status } = content;
      const { name } = report;
      // The status is written first into an object that says nothing of it yet: the mark comes with the last write.
      await keeper.apply(report, { spec }, null);
      await api.call({
        method: 'PATCH',
        patch: 'apply',
        path: `${pathOf(resource, { name })}/status`,
        query: { fieldManager: `${MANAGER}-status`, force: true },
        body: { apiVersion: resource.apiVersion, kind: resource.kind, metadata: { name }, status },
        what: `the status of the ${resource.kind} ${name}`,
      });
      await keeper.apply(report, { spec }, report.hash);
    },
  };
}

/** policyReportObjects keeps the reports of one of the two report APIs. */
export function policyReportObjects(api: KubernetesApi, kind: Exclude<ReportKind, 'off'>): ReportObjects {
  const resource = kind === 'openreports' ? RESOURCES.openReports : RESOURCES.policyReports;
  const keeper = reportKeeper(api, resource);
  return {
    ...keeper,
    write: (report, content) =>
      keeper.apply(report, kind === 'openreports' ? { source: MANAGER, ...content } : content, report.hash),
  };
}

interface Keeper extends Pick<ReportObjects, 'list' | 'remove'> {
  apply(
    report: WrittenReport,
    content: Readonly<Record<string, unknown>>,
    hash: string | null,
  ): Promise<void>;
}

function reportKeeper(api: KubernetesApi, resource: Resource): Keeper {
  const placeOf = ({ namespace, name }: WrittenReport) => ({
    namespace: namespace === '' ? undefined : namespace,
    name,
  });
  return {
    async list() {
      const found: WrittenReport[] = [];
      let from: string | undefined;
      do {
        let page: KubeList<KubeObject>;
        try {
          page = await api.call({
            method: 'GET',
            path: pathOf(resource),
            query: { labelSelector: SELECTOR, limit: 500, continue: from },
            metadataOnly: 'list',
            what: `the list of ${resource.plural}.${resource.apiVersion.split('/')[0] ?? ''}`,
          });
        } catch (error) {
          // The kind is not installed: there is nothing to write.
          if (isFault(error, 'not_found')) return null;
          throw error;
        }
        for (const { metadata } of page.items ?? [])
          found.push({
            namespace: metadata?.namespace ?? '',
            name: metadata?.name ?? '',
            hash: metadata?.annotations?.[HASH] ?? '',
          });
        from = page.metadata?.continue === '' ? undefined : page.metadata?.continue;
      } while (from !== undefined);
      return found;
    },
    async apply(report, content, hash) {
      const { namespace, name } = placeOf(report);
      const { apiVersion, kind } = resource;
      await api.call({
        method: 'PATCH',
        patch: 'apply',
        path: pathOf(resource, { namespace, name }),
        query: { fieldManager: MANAGER, force: true },
        body: {
          apiVersion,
          kind,
          metadata: {
            name,
            ...(namespace !== undefined && { namespace }),
            labels: MANAGED,
            ...(hash !== null && { annotations: { [HASH]: hash } }),
          },
          ...content,
        },
        what: `the ${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`,
      });
    },
    async remove(report) {
      try {
        await api.call({
          method: 'DELETE',
          path: pathOf(resource, placeOf(report)),
          what: `the ${resource.kind} ${report.name}`,
        });
      } catch (error) {
        if (!isFault(error, 'not_found')) throw error;
      }
    },
  };
}
