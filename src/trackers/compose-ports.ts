import type { Advisory, FoundAt } from '../findings/index.ts';

/** FoundPackage is a package of an image in which a CVE was found. */
export interface FoundPackage {
  readonly name: string;
  readonly installed: string;
  /** The version that repairs it, or null when there is none. */
  readonly fixed: string | null;
  /** Where it was found, at most five places; absent or empty where the scanner does not say. */
  readonly foundAt?: readonly FoundAt[];
  /** Further places beyond those; absent for none. */
  readonly morePlaces?: number;
}

/** KnownFinding is what the current scan of an image says of a CVE. */
export interface KnownFinding {
  /** The worst first; at most 50. */
  readonly packages: readonly FoundPackage[];
  /** Null when the catalogue was never asked. */
  readonly knownExploited: boolean | null;
  /** What the scanner says of the vulnerability; absent or null for nothing. */
  readonly advisory?: Advisory | null;
}

/** Workload is what was seen running an image. */
export interface Workload {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  /** UTC milliseconds. */
  readonly since: number;
}

/** KnownImage is what is known of an image. Times are UTC milliseconds. */
export interface KnownImage {
  /** The newest name first; at most five. */
  readonly names: readonly string[];
  /** The label `org.opencontainers.image.source`, or null. */
  readonly source: string | null;
  /** What runs it, those seen last first; at most 20 of `workloadsTotal`. */
  readonly workloads: readonly Workload[];
  readonly workloadsTotal: number;
  /** Namespaces in which it was admitted or seen running, in order; at most 200. */
  readonly namespaces: readonly string[];
  /** The newest row of the ledger on it, or null. */
  readonly ledger: { readonly id: number; readonly at: number } | null;
  /** The scan that its findings are of, or null. */
  readonly scan: { readonly scanner: string | null; readonly at: number } | null;
}

/** KnownAlert is what is stored of the events of one rule of the runtime detector on one image. Times are UTC milliseconds. */
export interface KnownAlert {
  readonly digest: string;
  readonly rule: string;
  /** Priority of the newest alert. */
  readonly priority: string;
  /** The newest name of the image, or null. */
  readonly image: string | null;
  /** When the first and the last of its events came that are kept, and how many those are. */
  readonly first: number;
  readonly last: number;
  readonly count: number;
  /** Where they came from, the newest first; at most 10. What is not known is null. */
  readonly places: readonly {
    readonly cluster: string | null;
    readonly namespace: string | null;
    readonly workload: string | null;
    readonly last: number;
  }[];
}

/** FindingName names a finding. */
export interface FindingName {
  readonly digest: string;
  readonly cve: string;
}

/** IssueFacts tell what issues are written from. What is not known is left out of the answer. */
export interface IssueFacts {
  images(digests: readonly string[]): Promise<ReadonlyMap<string, KnownImage>>;
  /** By `findingKey`. */
  findings(names: readonly FindingName[]): Promise<ReadonlyMap<string, KnownFinding>>;
  /** Null where no event of it is kept. */
  alert(digest: string, rule: string): Promise<KnownAlert | null>;
}

/** findingKey is the key of a finding in a map. */
export function findingKey({ digest, cve }: FindingName): string {
  return `${digest} ${cve}`;
}

/** IssueTerms tell the terms that findings are under. */
export interface IssueTerms {
  /**
   * "The declared critical window" of an image in these namespaces: the shortest `sla.critical` of the policies that govern one of them,
   * in milliseconds; null when none is declared.
   */
  criticalWindow(namespaces: readonly string[]): Promise<number | null>;
  /** Due dates (`YYYY-MM-DD`) that the catalogue of known exploited vulnerabilities sets; those that it has not, or that are not known, are left out. */
  dueDates(cves: readonly string[]): Promise<ReadonlyMap<string, string>>;
}
