import type { ScanReport } from '../../scan/index.ts';
import type { CliParts } from './build.ts';
import type { ClusterLists } from '../running/cluster-lists.ts';

export type { ClusterLists, ListedResource } from '../running/cluster-lists.ts';

/** readReports reads reports of Trivy and of its operator: of a file, or of all files of a directory that end in .json. Throws FileError, ReportError. */
export async function readReports(
  path: string,
  parts: Pick<CliParts, 'listFiles' | 'readText'>,
): Promise<readonly ScanReport[]> {
  const { MAX_REPORT_BYTES, parseScanReports } = await import('../../adapters/trivy/index.ts');
  const files = path === '-' ? null : await parts.listFiles(path, ['.json']);
  const reports: ScanReport[] = [];
  for (const file of files ?? [path])
    reports.push(
      ...parseScanReports(await parts.readText(file, MAX_REPORT_BYTES), file === '-' ? 'stdin' : file),
    );
  return reports;
}

/** toReports reads VulnerabilityReports of trivy-operator as a cluster gives them. One that cannot be read is told, and left out. */
export async function toReports(
  objects: readonly unknown[],
  file: string,
  tell: (message: string) => void,
): Promise<readonly ScanReport[]> {
  const { readScanReports, ReportError } = await import('../../adapters/trivy/index.ts');
  return objects.flatMap((object) => {
    try {
      return readScanReports(object, file);
    } catch (error) {
      if (!(error instanceof ReportError)) throw error;
      tell(error.message);
      return [];
    }
  });
}

/** openClusterLists reaches a cluster by a kubeconfig. Throws ClusterError. */
export async function openClusterLists(options: {
  readonly path: string;
  readonly context: string | null;
  readonly version: string;
}): Promise<ClusterLists> {
  return (await import('../running/cluster-lists.ts')).openClusterLists(options);
}
