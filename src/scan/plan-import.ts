import { DAY_MS, isDigest, parseTime, type Digest } from '../base/index.ts';
import { parseReference, type ImageReference } from '../image/index.ts';
import { ScanError } from './scan-error.ts';
import type { ScanReport } from './scan-report.ts';

/** ImportTarget says which image a report is about, where the report does not; absent or null: as the report says. */
export interface ImportTarget {
  readonly digest?: string | null | undefined;
  /** A reference, with its digest or as another name of the image. */
  readonly image?: string | null | undefined;
  /** When the database of its scanner was made (RFC 3339), where the report does not say it. */
  readonly databaseAt?: string | null | undefined;
}

/** PlannedScan is a digest that a report is recorded for, with the names that it gets. */
export interface PlannedScan {
  readonly digest: Digest;
  readonly names: readonly string[];
}

/** IMAGE_TYPE is the type of a report of a container image, whichever scanner made it. */
export const IMAGE_TYPE = 'container_image';

/** nameType says of what a report is that is not of a container image, as a sentence goes on: "of a filesystem, not of …". */
export function nameType(type: string): string {
  const what = type === '' ? 'of something that it does not name' : `of type "${type.slice(0, 40)}"`;
  return `${what}, not of a container image`;
}

/** Longer ones are not vulnerability ids; indexes of a database have their bounds. */
const MAX_CVE = 200;
const MAX_FINDINGS = 200_000;

/**
 * planImport tells for which digests a report is recorded. What is given may add a name or a digest that the report lacks, and
 * may not contradict it: a clean report must not come to stand for another image. Throws ScanError `invalid_request` or, for a
 * report that cannot be true, `invalid_report`.
 */
export function planImport(report: ScanReport, target: ImportTarget, at: number): readonly PlannedScan[] {
  const planned = findTargets(report, target, at);
  if (planned.length > 0) return planned;
  if (report.type !== IMAGE_TYPE) throw notAnImage(report);
  throw new ScanError('invalid_request', `the report of ${shown(report)} names no registry digest`, {
    file: report.file,
    hint: 'Say which image it is: --digest sha256:…, or --image NAME@sha256:… (in the API, the parameters digest and image)',
  });
}

/** findTargets does as planImport, but for a report without a digest it gives none instead of throwing. */
export function findTargets(report: ScanReport, target: ImportTarget, at: number): readonly PlannedScan[] {
  checkReport(report, at);
  const image = readImage(target.image ?? null);
  const given = readDigest(target.digest ?? null, image);
  const known = new Set(report.digests.map(({ digest }) => digest));
  if (given !== null && known.size > 0 && !known.has(given)) {
    throw new ScanError(
      'invalid_request',
      `the report is about ${[...known].join(', ')}, not about ${given}`,
      {
        file: report.file,
        hint: 'Scan the image by that digest: trivy image --format json NAME@sha256:…',
      },
    );
  }
  // What was found in a directory, a repository, a machine or a cluster says nothing of what else an image holds.
  if (report.type !== IMAGE_TYPE) {
    if (given === null) return [];
    throw notAnImage(report);
  }
  if (given !== null && given === report.imageId) {
    throw new ScanError(
      'invalid_request',
      `${given} is the id of the image (the digest of its configuration), not the digest that a reference names`,
      {
        file: report.file,
        hint: 'Give the digest of its manifest: `docker buildx imagetools inspect NAME` prints it',
      },
    );
  }
  const digests = given === null ? own(report, image) : [given];
  return digests.map((digest) => ({ digest, names: namesOf(report, digest, image) }));
}

function notAnImage(report: ScanReport): ScanError {
  return new ScanError('invalid_report', `the report of ${shown(report)} is ${nameType(report.type)}`, {
    file: report.file,
    hint: 'Only a scan of the image itself counts for it: trivy image --format json NAME@sha256:…',
  });
}

function checkReport({ scan, file }: ScanReport, at: number): void {
  const { findings, scannedAt } = scan;
  if (findings !== null && findings.length > MAX_FINDINGS)
    throw new ScanError('invalid_report', `the report has more than ${MAX_FINDINGS} findings`, { file });
  const long = findings?.find(({ cve }) => cve.length > MAX_CVE);
  if (long !== undefined)
    throw new ScanError(
      'invalid_report',
      `the report names a vulnerability with more than ${MAX_CVE} characters`,
      { file },
    );
  // It would go before every later scan, until its time came.
  if (scannedAt !== null && parseTime(scannedAt) > at + DAY_MS) {
    throw new ScanError(
      'invalid_report',
      `the report says that it was made at ${scannedAt}, which is in the future`,
      {
        file,
        hint: 'Set the clock of the machine that scans, and scan again',
      },
    );
  }
}

function readImage(text: string | null): ImageReference | null {
  if (text === null) return null;
  const reference = parseReference(text);
  if (!('fault' in reference)) return reference;
  const message = `image "${text.slice(0, 200)}" ${reference.fault}`;
  throw new ScanError('invalid_request', message, { fields: [{ path: 'image', message }] });
}

function readDigest(text: string | null, image: ImageReference | null): Digest | null {
  const named = image?.digest ?? null;
  const wrong = (path: string, message: string) =>
    new ScanError('invalid_request', message, { fields: [{ path, message }] });
  const shown = text?.slice(0, 80);
  if (text !== null && !isDigest(text))
    throw wrong('digest', `digest "${shown}" is not sha256: with 64 lowercase hex digits`);
  if (named !== null && !isDigest(named))
    throw wrong('image', 'image names a digest that is not sha256; facts are kept by sha256');
  if (text !== null && named !== null && text !== named)
    throw wrong('digest', `digest is ${text}, image names ${named}`);
  return text ?? named;
}

/** The report's own digests: those of the named repository where one is named and the report knows it, else all. */
function own({ digests }: ScanReport, image: ImageReference | null): Digest[] {
  const same = image === null ? [] : digests.filter(({ name }) => name === image.name);
  return [...new Set((same.length > 0 ? same : digests).map(({ digest }) => digest))];
}

function namesOf(report: ScanReport, digest: Digest, image: ImageReference | null): string[] {
  const repositories = new Set(report.digests.filter((one) => one.digest === digest).map(({ name }) => name));
  const inside = report.names.filter((name) => repositories.has(name.slice(0, name.lastIndexOf(':'))));
  const tagged = new Set(repositories.size > 0 ? inside : report.names);
  if (image !== null && image.tag !== null) tagged.add(`${image.name}:${image.tag}`);
  if (tagged.size > 0) return [...tagged];
  const bare = image === null ? [...repositories] : [image.name];
  return bare.map((name) => `${name}@${digest}`);
}

function shown({ artifact, file }: ScanReport): string {
  return artifact === '' ? file : artifact.slice(0, 200);
}
