import { isIpoError, type Log } from '../../base/index.ts';
import { isFault } from '../../cluster/index.ts';
import { type ElectionClock } from '../../leadership/index.ts';
import type { ReportReader, ScanReport } from '../../scan/index.ts';
import { Informer, pathOf, type KubeObject, type KubernetesApi, type Resource } from '../kubernetes/index.ts';

/** VULNERABILITY_REPORTS is the kind that trivy-operator writes. */
export const VULNERABILITY_REPORTS: Resource = {
  apiVersion: 'aquasecurity.github.io/v1alpha1',
  kind: 'VulnerabilityReport',
  plural: 'vulnerabilityreports',
  namespaced: true,
};

/** OperatorReport is a report of trivy-operator with the container that its labels name. */
export interface OperatorReport {
  /** `namespace/name`. */
  readonly key: string;
  readonly report: ScanReport;
  readonly container: {
    readonly namespace: string;
    readonly kind: string;
    readonly name: string;
    readonly container: string;
  } | null;
}

/** OperatorReports are the reports of a cluster; a ReportFeed of the scans. */
export interface OperatorReports {
  next(limit: number, signal: AbortSignal): Promise<readonly OperatorReport[]>;
  again(keys: readonly string[]): void;
  /** What keeps it from being up to date, or null: such as a cluster without the kind. */
  fault(): string | null;
  stop(): Promise<void>;
}

const LABEL = 'trivy-operator.';
/** Milliseconds that the first look waits for the list. */
const FIRST_LIST_MS = 10_000;

/**
 * openOperatorReports watches the VulnerabilityReports of a cluster. Only their metadata is kept in memory, since reports have megabytes: each
 * that came or changed is read when its turn comes. Nothing is called before the first `next`, so that who does not lead does not watch.
 */
export function openOperatorReports({
  api,
  read,
  clock,
  log,
}: {
  readonly api: KubernetesApi;
  readonly read: ReportReader;
  readonly clock: ElectionClock;
  readonly log: Log;
}): OperatorReports {
  /** Versions that were given, by key. */
  const given = new Map<string, string>();
  const waiting = new Set<string>();
  let started = false;
  const informer: Informer<string> = new Informer<string>({
    api,
    clock,
    log,
    resource: VULNERABILITY_REPORTS,
    metadataOnly: true,
    project: ({ metadata }) => metadata?.resourceVersion ?? '',
    onChange: (keys) => {
      for (const key of keys ?? informer.objects.keys()) look(key);
      if (keys === null) for (const key of given.keys()) look(key);
    },
  });
  const look = (key: string): void => {
    const version = informer.objects.get(key);
    if (version === undefined) {
      given.delete(key);
      waiting.delete(key);
    } else if (given.get(key) !== version) waiting.add(key);
  };
  return {
    async next(limit, signal) {
      if (!started) {
        started = true;
        informer.start();
        await informer.untilSynced(FIRST_LIST_MS);
      }
      const found: OperatorReport[] = [];
      for (const key of waiting) {
        if (found.length >= limit || signal.aborted) break;
        const version = informer.objects.get(key) ?? '';
        let object: KubeObject | null;
        try {
          object = await readObject(api, key, signal);
        } catch (error) {
          // What was read before it is not lost; the next call meets the fault first.
          if (found.length > 0) return found;
          throw error;
        }
        // What comes with a later version than this is taken once more, and then is the same.
        waiting.delete(key);
        given.set(key, version);
        const report = object === null ? null : toReport(key, object, read, log);
        if (report !== null) found.push(report);
      }
      return found;
    },
    again: (keys) => {
      for (const key of keys) {
        given.delete(key);
        if (informer.objects.has(key)) waiting.add(key);
      }
    },
    fault: () => informer.fault?.message ?? null,
    stop: () => informer.stop(),
  };
}

/** Null for one that is gone. */
async function readObject(api: KubernetesApi, key: string, signal: AbortSignal): Promise<KubeObject | null> {
  const slash = key.indexOf('/');
  try {
    return await api.call<KubeObject>({
      method: 'GET',
      path: pathOf(VULNERABILITY_REPORTS, { namespace: key.slice(0, slash), name: key.slice(slash + 1) }),
      what: `the VulnerabilityReport ${key}`,
      signal,
    });
  } catch (error) {
    if (isFault(error, 'not_found')) return null;
    throw error;
  }
}

function toReport(key: string, object: KubeObject, read: ReportReader, log: Log): OperatorReport | null {
  try {
    // What the API server serves says its kind; a proxy in between may not.
    const { apiVersion, kind } = VULNERABILITY_REPORTS;
    const [report] = read({ apiVersion, kind, ...object }, key);
    if (report === undefined) return null;
    return { key, report, container: containerOf(object) };
  } catch (error) {
    if (!isIpoError(error)) throw error;
    log.warn('a VulnerabilityReport cannot be read', { report: key, error: error.message });
    return null;
  }
}

/** Names that are too long for a label stand in annotations; who has neither is told by nobody. */
function containerOf({ metadata }: KubeObject): OperatorReport['container'] {
  const said = (name: string): string | undefined =>
    metadata?.labels?.[`${LABEL}${name}`] ?? metadata?.annotations?.[`${LABEL}${name}`];
  const [namespace, kind, name, container] = [
    said('resource.namespace') ?? metadata?.namespace,
    said('resource.kind'),
    said('resource.name'),
    said('container.name'),
  ];
  if (namespace === undefined || kind === undefined || name === undefined || container === undefined)
    return null;
  return { namespace, kind, name, container };
}
