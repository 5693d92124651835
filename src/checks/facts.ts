import type { Digest } from '../base/index.ts';
import { NO_FACTS, type ImageFacts } from '../facts/index.ts';
import type { ScanRecord } from '../findings/index.ts';
import { parseReference, type ImageReference } from '../image/index.ts';
import type { ScanReport } from '../scan/index.ts';
import { nothing, outcomeOf, type FoundFacts } from './found.ts';
import { judgedOn, speaksFor } from './platform.ts';
import type { RegistryAnswer } from './registry-answer.ts';
import { carryOver, digestOf, newest } from './report-choice.ts';

/** What is known of an image of which nothing can be said: not which digest it has, nor what is recorded of that. */
const UNTOLD_SCAN: ScanRecord = { scannedAt: null, scanner: null, os: null, findings: null };
const UNTOLD = { signatures: null, attestations: null, provenance: null, vex: null } as const;

/**
 * TagAnswer is what a tag stands for: a digest and who said so; or that it stands for nothing, that nobody could say, or that
 * several images of the service have its name.
 */
export type TagAnswer =
  | { readonly digest: Digest; readonly from: 'registry' | 'service' }
  | { readonly digest: null; readonly outcome: 'absent' | 'unknown' | 'several' };

/** FactSources are the files that facts come from. */
export interface FactSources {
  /** Facts of a ledger export by digest. */
  readonly images: ReadonlyMap<Digest, ImageFacts>;
  readonly reports: readonly ScanReport[];
  /** CVE ids of the known-exploited catalogue, or null when it was not given. */
  readonly kev: ReadonlySet<string> | null;
  /** Whether files and the service are believed what a tag stands for where its registry does not say: `--by-name`. */
  readonly byName: boolean;
  /** Of which platform the scan counts (`--platform`); null: the worst of all. */
  readonly platform: string | null;
}

/**
 * FactBook finds the facts of image references. Facts are of digests: what a report says counts for a tag once it is known that the tag
 * stands for the digest of the report now. A report of Trivy takes precedence over the scan of the ledger: it was given by hand, for this.
 * Of several reports on one image the newest is taken.
 */
export class FactBook {
  readonly #sources: FactSources;
  readonly #usedReports = new Set<ScanReport>();
  readonly #answers = new Map<string, RegistryAnswer>();
  readonly #recorded = new Map<Digest, ImageFacts>();
  readonly #obstacles = new Map<Digest, string>();
  readonly #tags = new Map<string, TagAnswer>();
  #serviceAsked = false;
  #digestsByName: Map<string, Digest[]> | null = null;

  constructor(sources: FactSources) {
    this.#sources = sources;
  }

  /** Reports that matched none of the references that were looked up. */
  unusedReports(): readonly ScanReport[] {
    return this.#sources.reports.filter((report) => !this.#usedReports.has(report));
  }

  /** Whether what a tag stands for has to be known, since something given here reports scans by digest. */
  needsTag(): boolean {
    return this.#sources.reports.length > 0 && !this.#sources.byName;
  }

  /** Takes what a registry answered for a reference; it takes precedence over what files report the same. */
  learn(reference: ImageReference, answer: RegistryAnswer): void {
    this.#answers.set(reference.text, answer);
    const { digest, outcome } = answer;
    if (digest !== null) this.resolve(reference, { digest, from: 'registry' });
    else this.resolve(reference, { digest, outcome: outcome === 'absent' ? outcome : 'unknown' });
  }

  /** Takes what a tag stands for. */
  resolve(reference: ImageReference, answer: TagAnswer): void {
    this.#tags.set(reference.text, answer);
  }

  /** Takes what a service has recorded of a digest, and why it could not scan it. */
  record(digest: Digest, facts: ImageFacts, obstacle: string | null): void {
    this.#recorded.set(digest, facts);
    if (obstacle !== null) this.#obstacles.set(digest, obstacle);
  }

  /** Says that a service knows of scans, so that an image whose digest is not known may have one. */
  serviceAsked(): void {
    this.#serviceAsked = true;
  }

  /** Gives the facts of a reference. Where nothing reports scans there is none; without a digest there are no facts of anything. */
  find(reference: ImageReference): FoundFacts {
    const { reports, byName, platform } = this.#sources;
    const answer = this.#answers.get(reference.text) ?? null;
    if (reference.digest !== null) {
      const { digest } = reference;
      return this.#known(digest, 'reference', this.#reportOf(digest), answer);
    }
    const name = `${reference.name}:${reference.tag ?? 'latest'}`;
    const report = newest(
      reports.filter(({ names }) => names.includes(name)),
      platform,
    );
    const now = this.#tags.get(reference.text);
    if (now !== undefined && now.digest !== null) return this.#ofTag(now.digest, now.from, report, answer);
    if (report !== null && byName)
      return this.#known(digestOf(report, reference.name), 'trivy', report, answer);
    if (report !== null) this.#usedReports.add(report);
    if (now?.outcome === 'several') return this.#untold(answer, whyUntold(now));
    // Which image the tag stands for nobody could say; any of those that are known may be it.
    const isOpen = now === undefined ? this.#serviceAsked : now.outcome === 'unknown';
    if (report !== null || (isOpen && !byName)) return this.#untold(answer, whyUntold(now));
    // The registry's word that there is none takes precedence over what was once recorded; else an export speaks for its own time.
    return now?.outcome === 'absent' ? nothing(answer, null) : this.#named(name, answer);
  }

  /** Facts of the digest that a tag stands for, with a report that counts if it is of this digest. */
  #ofTag(
    digest: Digest,
    from: 'registry' | 'service',
    report: ScanReport | null,
    answer: RegistryAnswer | null,
  ): FoundFacts {
    const isNameless = report !== null && report.digests.length === 0;
    const own = this.#reportOf(digest) ?? (isNameless && this.#sources.byName ? report : null);
    const found = this.#known(digest, from, own, answer);
    if (own !== null || report === null) return found;
    this.#usedReports.add(report);
    const note = isNameless
      ? `the report given names no digest, so it may not be about ${digest}, the digest that the tag has now`
      : `the tag has the digest ${digest} now; the report given is about another image`;
    // A user who gave a report does not want the image decided without one.
    return found.facts.scan === null
      ? { ...found, note, untold: note, facts: { ...found.facts, scan: UNTOLD_SCAN } }
      : { ...found, note };
  }

  /** Nothing is known, as against known to be none; of scans where something here reports scans. */
  #untold(answer: RegistryAnswer | null, why: string): FoundFacts {
    const { images, reports } = this.#sources;
    const tellsScans = reports.length > 0 || images.size > 0 || this.#serviceAsked;
    const facts = { ...NO_FACTS, ...UNTOLD, scan: tellsScans ? UNTOLD_SCAN : null };
    // What the registry did not say is said of the registry.
    const note = answer === null || answer.outcome !== 'unknown' ? why : null;
    return { ...nothing(answer, note), facts, untold: why };
  }

  #named(name: string, answer: RegistryAnswer | null): FoundFacts {
    const [digest, ...others] = this.#byName(this.#sources.images).get(name) ?? [];
    if (digest === undefined) return nothing(answer, null);
    if (others.length === 0) return this.#known(digest, 'ledger', null, answer);
    const count = others.length + 1;
    return this.#untold(
      answer,
      `${count} images of the ledger have this name, so its digest is not clear; name a digest`,
    );
  }

  #reportOf(digest: string): ScanReport | null {
    const { reports, platform } = this.#sources;
    const own = reports.filter(({ digests }) => digests.some((one) => one.digest === digest));
    // Those that are older, or of another platform, are of an image that is checked, too.
    for (const report of own) this.#usedReports.add(report);
    return newest(own, platform);
  }

  #known(
    digest: Digest | null,
    from: Exclude<FoundFacts['digestFrom'], null>,
    given: ScanReport | null,
    answer: RegistryAnswer | null,
  ): FoundFacts {
    const recorded =
      digest === null ? undefined : (this.#recorded.get(digest) ?? this.#sources.images.get(digest));
    const wanted = this.#sources.platform;
    if (given !== null) this.#usedReports.add(given);
    const report = given !== null && speaksFor(given, recorded?.scan ?? null, wanted) ? given : null;
    const { facts, ...judged } = judgedOn(this.#merge(digest, report, recorded), report, wanted);
    const asked = recorded !== undefined;
    const registry = outcomeOf(answer);
    const shared = {
      digest,
      digestFrom: digest === null ? null : from,
      registry,
      note: null,
      untold: null,
      emptyReport: report !== null && report.scan.findings === null,
      obstacle: digest === null ? null : (this.#obstacles.get(digest) ?? null),
      ...judged,
    };
    if (answer === null || digest === null) return { ...shared, facts, asked };
    return { ...shared, asked: true, facts: withAnswer({ ...facts, digest }, answer, recorded) };
  }

  #merge(digest: Digest | null, report: ScanReport | null, recorded: ImageFacts | undefined): ImageFacts {
    if (report === null) return this.#withKev(recorded ?? NO_FACTS);
    // A scan says nothing of signatures: of a digest they are unknown, and what has no digest has none.
    const unasked = digest === null ? [] : null;
    return this.#withKev({
      ...(recorded?.noPackagesUntilMs !== undefined && { noPackagesUntilMs: recorded.noPackagesUntilMs }),
      digest,
      names: report.names,
      scan: carryOver(report.scan, recorded?.scan ?? null),
      signatures: recorded === undefined ? unasked : recorded.signatures,
      attestations: recorded === undefined ? unasked : recorded.attestations,
      provenance: recorded === undefined ? unasked : recorded.provenance,
      vex: recorded === undefined ? unasked : recorded.vex,
    });
  }

  /** The catalogue answers for findings of which it was never asked. */
  #withKev(facts: ImageFacts): ImageFacts {
    const { kev } = this.#sources;
    if (kev === null || !facts.scan?.findings?.some(({ knownExploited }) => knownExploited === null))
      return facts;
    const findings = facts.scan.findings.map((finding) =>
      finding.knownExploited === null
        ? { ...finding, knownExploited: kev.has(finding.cve.toUpperCase()) }
        : finding,
    );
    return { ...facts, scan: { ...facts.scan, findings } };
  }

  #byName(images: ReadonlyMap<Digest, ImageFacts>): Map<string, Digest[]> {
    if (this.#digestsByName !== null) return this.#digestsByName;
    const byName = new Map<string, Digest[]>();
    for (const [digest, { names }] of images) {
      for (const text of new Set(names)) {
        const reference = parseReference(text);
        // A name without a tag is that of an image known only by its digest; it tells nothing of `latest`.
        if ('fault' in reference || reference.tag === null) continue;
        const name = `${reference.name}:${reference.tag}`;
        const known = byName.get(name);
        if (known === undefined) byName.set(name, [digest]);
        else if (!known.includes(digest)) known.push(digest);
      }
    }
    return (this.#digestsByName = byName);
  }
}

function whyUntold(now: TagAnswer | undefined): string {
  if (now === undefined || now.digest !== null)
    return 'the registry was not asked for the digest of this tag; the known facts may be of another image';
  if (now.outcome === 'several')
    return 'several images of the service can have this name, so it stands for no digest; name one';
  return now.outcome === 'absent'
    ? 'its registry has no such tag; the report given is about another image'
    : 'its registry did not give the digest of this tag; the known facts may be of another image';
}

/** What a registry did not tell stays as it was recorded, else unknown. */
function withAnswer(facts: ImageFacts, given: RegistryAnswer, recorded: ImageFacts | undefined): ImageFacts {
  // A registry that told no digest for the tag was not asked about the one that a file tells.
  const answer = given.digest === null ? UNTOLD : given;
  return {
    ...facts,
    signatures: answer.signatures ?? recorded?.signatures ?? null,
    attestations: answer.attestations ?? recorded?.attestations ?? null,
    provenance: answer.provenance ?? recorded?.provenance ?? null,
    vex: answer.vex ?? recorded?.vex ?? null,
  };
}
