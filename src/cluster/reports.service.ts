import { byCodeUnit, canonicalJson, sha256Hex } from '../base/index.ts';
import { reportName, toImageReport, type ReportedImage } from './image-report.ts';
import { toPolicyReport, type LastReview } from './policy-report.ts';

/** WrittenReport is a report that stands in the cluster, with the hash that it was written with. */
export interface WrittenReport {
  /** Empty for one of the whole cluster. */
  readonly namespace: string;
  readonly name: string;
  readonly hash: string;
}

/** ReportObjects keeps the reports of one kind in the cluster: those that this operator wrote, and no other. */
export interface ReportObjects {
  /** Null where the kind is not installed. */
  list(): Promise<readonly WrittenReport[] | null>;
  write(report: WrittenReport, content: Readonly<Record<string, unknown>>): Promise<void>;
  remove(report: WrittenReport): Promise<void>;
}

/** ReportSource gives what reports are made from. */
export interface ReportSource {
  /**
   * The images that are reported on: seen running, or reviewed, since a time. `version` changes with everything that a report of the
   * image shows at a time, the end of a triage decision among it.
   */
  images(
    since: number,
    at: number,
  ): Promise<readonly { readonly digest: string; readonly version: string }[]>;
  /** With the triage decisions that are in effect then. */
  image(digest: string, at: number): Promise<ReportedImage | null>;
  /** The newest decision on each image in each namespace since a time. */
  reviews(since: number): Promise<readonly LastReview[]>;
}

/** ReportsDone is what one round wrote. */
export interface ReportsDone {
  readonly written: number;
  readonly removed: number;
}

/** An image that neither ran nor was reviewed for a day has no report. */
const KEPT_MS = 86_400_000;
const NONE: ReportsDone = { written: 0, removed: 0 };

/** RoundDeps are what a round of reports is made with. */
export interface RoundDeps {
  readonly source: ReportSource;
  readonly objects: ReportObjects;
  readonly now: number;
  /** Whether this process may still write; asked before every write. */
  leads(): boolean;
}

/** After this many faults one after the other the API server is taken to be away, and the round ends. */
const MOST_FAULTS = 3;

/**
 * Faults notes what could not be written, so that one report which the API server does not take keeps no other from being written. The
 * first fault is thrown at the end of the round.
 */
class Faults {
  #first: unknown;
  #all = 0;
  #inRow = 0;

  async in(act: () => Promise<void>): Promise<boolean> {
    try {
      await act();
      this.#inRow = 0;
      return true;
    } catch (error) {
      this.#first ??= error;
      this.#all += 1;
      this.#inRow += 1;
      if (this.#inRow >= MOST_FAULTS) throw error;
      return false;
    }
  }

  end<T>(done: T): T {
    if (this.#all > 0) throw this.#first;
    return done;
  }
}

/** writeImageReports brings the ClusterImageReports up to date: what changed is written, what is reported on no more is deleted. */
export async function writeImageReports({ source, objects, now, leads }: RoundDeps): Promise<ReportsDone> {
  const there = await objects.list();
  if (there === null) return NONE;
  const wanted = await source.images(now - KEPT_MS, now);
  const before = new Map(there.map((report) => [report.name, report]));
  const faults = new Faults();
  let written = 0;
  let removed = 0;
  for (const { digest, version } of wanted) {
    if (!leads()) return { written, removed };
    const name = reportName(digest);
    const hash = sha256Hex(version).slice(0, 32);
    const stands = before.get(name)?.hash === hash;
    before.delete(name);
    if (stands) continue;
    const image = await source.image(digest, now);
    if (image === null || !leads()) continue;
    const report = toImageReport(image);
    if (await faults.in(() => objects.write({ namespace: '', name, hash }, report))) written += 1;
  }
  for (const report of before.values()) {
    if (!leads()) break;
    if (await faults.in(() => objects.remove(report))) removed += 1;
  }
  return faults.end({ written, removed });
}

/** writePolicyReports brings the report of each namespace up to date. */
export async function writePolicyReports(
  { source, objects, now, leads }: RoundDeps,
  name: string,
): Promise<ReportsDone> {
  const there = await objects.list();
  if (there === null) return NONE;
  const before = new Map(there.map((report) => [report.namespace, report]));
  const reviews = Map.groupBy(await source.reviews(now - KEPT_MS), ({ namespace }) => namespace);
  const faults = new Faults();
  let written = 0;
  let removed = 0;
  for (const [namespace, own] of [...reviews].toSorted(([a], [b]) => byCodeUnit(a, b))) {
    if (!leads()) return { written, removed };
    const report = toPolicyReport(namespace, own);
    const hash = sha256Hex(canonicalJson(report)).slice(0, 32);
    const stands = before.get(namespace)?.hash === hash;
    before.delete(namespace);
    if (stands) continue;
    if (await faults.in(() => objects.write({ namespace, name, hash }, { ...report }))) written += 1;
  }
  for (const report of before.values()) {
    if (!leads()) break;
    if (await faults.in(() => objects.remove(report))) removed += 1;
  }
  return faults.end({ written, removed });
}
