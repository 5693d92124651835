import type { Clock } from '../../base/index.ts';
import type { Severity } from '../../findings/index.ts';
import type { Vulnerability, VulnerabilityStore } from '../../inventory/index.ts';
import { listOf } from '../contract/paging.ts';
import {
  vulnerabilitiesQuery,
  vulnerabilitySchema,
  type VulnerabilityBody,
} from '../contract/vulnerabilities.ts';
import { toAdvisoryBody } from '../image-bodies.ts';
import { route, type Route } from '../route.ts';

/** VulnerabilityParts are what the routes of vulnerabilities act through. */
export interface VulnerabilityParts {
  readonly vulnerabilities: VulnerabilityStore;
  readonly images: { refresh(): Promise<void> };
  readonly clock: Clock;
}

/** vulnerabilityRoutes list vulnerabilities over all images. Filters, search and sort run in the service. */
export function vulnerabilityRoutes({ vulnerabilities, images, clock }: VulnerabilityParts): Route[] {
  return [
    route({
      key: 'GET /vulnerabilities',
      id: 'listVulnerabilities',
      tag: 'vulnerabilities',
      summary: 'List the vulnerabilities that the newest scans found, one item for each CVE',
      query: vulnerabilitiesQuery,
      answers: { 200: { description: 'The vulnerabilities', schema: listOf(vulnerabilitySchema) } },
      work: 'read',
      handle: async ({ query }) => {
        const {
          severity,
          known_exploited,
          fixable,
          triaged,
          image,
          namespace,
          q,
          sort = 'severity',
          order,
          limit,
          offset,
        } = query;
        if (namespace !== undefined) await images.refresh(); // where images stand follows the ledger
        const { items, total } = await vulnerabilities.list({
          severity: severity === undefined ? null : (severity.split(',') as Severity[]),
          knownExploited: toFlag(known_exploited),
          fixable: toFlag(fixable),
          triaged: toFlag(triaged),
          image: image ?? null,
          namespace: namespace ?? null,
          search: q ?? null,
          sort,
          descending: (order ?? (sort === 'cve' ? 'asc' : 'desc')) === 'desc',
          limit: limit ?? null,
          offset: offset ?? 0,
          at: clock.now(),
        });
        return { body: { items: items.map(toBody), total } };
      },
    }),
  ];
}

function toFlag(text: 'true' | 'false' | undefined): boolean | null {
  return text === undefined ? null : text === 'true';
}

function toBody(one: Vulnerability): VulnerabilityBody {
  return {
    cve: one.cve,
    severity: one.severity,
    images: one.images,
    sample: [...one.sample],
    packages: one.packages.map(({ name, fixed }) => ({ name, fixed: [...fixed] })),
    fixable: one.fixable,
    known_exploited: one.knownExploited,
    triaged_images: one.triagedImages,
    ...toAdvisoryBody(one.advisory),
  };
}
