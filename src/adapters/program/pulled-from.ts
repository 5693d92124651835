import type { PullPlace } from '../../image/index.ts';
import type { ScanOrder, ScanReport } from '../../scan/index.ts';

/** fromOf gives where an image is fetched from: its registry over TLS where nothing is said. */
export function fromOf({ reference, from }: Pick<ScanOrder, 'reference' | 'from'>): PullPlace {
  const { host, path } = reference;
  return from ?? { host, path, plainHttp: false, authorities: null };
}

/** asReferred gives a report of an image that was fetched from a mirror under the name by which it was asked for. */
export function asReferred(
  report: ScanReport,
  { reference }: Pick<ScanOrder, 'reference'>,
  from: PullPlace,
): ScanReport {
  const pulled = `${from.host}/${from.path}`;
  if (pulled === reference.name) return report;
  const rename = (text: string): string =>
    text === pulled || text.startsWith(`${pulled}@`) || text.startsWith(`${pulled}:`)
      ? `${reference.name}${text.slice(pulled.length)}`
      : text;
  return {
    ...report,
    artifact: rename(report.artifact),
    names: report.names.map(rename),
    digests: report.digests.map(({ name, digest }) => ({ name: rename(name), digest })),
  };
}
