import type { RegistryAnswer, TrivyReport } from '../../src/app/index.ts';
import { parseTime, type Digest } from '../../src/base/index.ts';
import { NO_FACTS, type ImageFacts } from '../../src/facts/index.ts';
import type { Finding, ScanRecord } from '../../src/findings/index.ts';
import { parseReference, type ImageReference } from '../../src/image/index.ts';

/** FoundFacts is what is known of an image, and how its digest became known. */
export interface FoundFacts {
  readonly digest: Digest | null;
  readonly digestFrom: 'reference' | 'registry' | 'service' | 'ledger' | 'trivy' | null;
  readonly facts: ImageFacts;
  /** Whether anything tells of its signatures, attestations, provenance and statements: a ledger, or its registry. */
  readonly asked: boolean;
  /** Whether its registry was asked, and whether everything that was asked for became known; null where nobody asked it. */
  readonly registry: 'answered' | 'failed' | null;
  /** Why no digest was found where there were several to choose from; a clause, or null. */
  readonly note: string | null;
}

/** FactSources are the files that facts come from. */
export interface FactSources {
  /** Facts of a ledger export by digest. */
  readonly images: ReadonlyMap<Digest, ImageFacts>;
  readonly reports: readonly TrivyReport[];
  /** CVE ids of the known-exploited catalogue, or null when it was not given. */
  readonly kev: ReadonlySet<string> | null;
}

/**
 * FactBook finds the facts of image references. A report of Trivy goes before the scan of the ledger: it was given
 * by hand, for this. Of several reports on one image the newest is taken.
 */
export class FactBook {
  readonly #sources: FactSources;
  readonly #usedReports = new Set<TrivyReport>();
  readonly #answers = new Map<string, RegistryAnswer>();
  readonly #recorded = new Map<Digest, ImageFacts>();
  readonly #digests = new Map<string, { readonly digest: Digest; readonly from: 'registry' | 'service' }>();
  #digestsByName: Map<string, Digest[]> | null = null;

  constructor(sources: FactSources) {
    this.#sources = sources;
  }

  /** Reports that matched none of the references that were looked up. */
  unusedReports(): readonly TrivyReport[] {
    return this.#sources.reports.filter((report) => !this.#usedReports.has(report));
  }

  /** Takes what a registry answered for a reference; it goes before what files tell of the same. */
  learn(reference: ImageReference, answer: RegistryAnswer): void {
    this.#answers.set(reference.text, answer);
    if (answer.digest !== null) this.resolve(reference, answer.digest, 'registry');
  }

  /** Takes what a tag stands for. */
  resolve(reference: ImageReference, digest: Digest, from: 'registry' | 'service'): void {
    this.#digests.set(reference.text, { digest, from });
  }

  /** Takes what a service has recorded of a digest. */
  record(digest: Digest, facts: ImageFacts): void {
    this.#recorded.set(digest, facts);
  }

  /** Gives the facts of a reference. Without a digest or a record of it there are none of anything. */
  find(reference: ImageReference): FoundFacts {
    const { images, reports } = this.#sources;
    const answer = this.#answers.get(reference.text) ?? null;
    if (reference.digest !== null) {
      const { digest } = reference;
      return this.#known(digest, 'reference', this.#reportOf(digest), answer);
    }
    const name = `${reference.name}:${reference.tag ?? 'latest'}`;
    const report = newest(reports.filter(({ names }) => names.includes(name)));
    const now = this.#digests.get(reference.text);
    if (now !== undefined) {
      // A report that names no digest at all is about what it calls the image; one of another digest is not about this.
      const own = this.#reportOf(now.digest) ?? (report?.digests.length === 0 ? report : null);
      const found = this.#known(now.digest, now.from, own, answer);
      if (own !== null || report === null) return found;
      this.#usedReports.add(report);
      return { ...found, note: `the tag stands for ${now.digest} now, which the report given is not about` };
    }
    if (report !== null) return this.#known(digestOf(report, reference.name), 'trivy', report, answer);
    const [digest, ...others] = this.#byName(images).get(name) ?? [];
    const nothing = {
      ...{ digest: null, digestFrom: null, facts: NO_FACTS },
      ...{ asked: answer !== null, registry: outcomeOf(answer) },
    };
    if (digest === undefined) return { ...nothing, note: null };
    if (others.length > 0) {
      const note = `${others.length + 1} images of the ledger carry this name, so it stands for no digest; name one`;
      return { ...nothing, note };
    }
    return this.#known(digest, 'ledger', null, answer);
  }

  #reportOf(digest: string): TrivyReport | null {
    const { reports } = this.#sources;
    return newest(reports.filter(({ digests }) => digests.some((one) => one.digest === digest)));
  }

  #known(
    digest: Digest | null,
    from: Exclude<FoundFacts['digestFrom'], null>,
    report: TrivyReport | null,
    answer: RegistryAnswer | null,
  ): FoundFacts {
    const recorded =
      digest === null ? undefined : (this.#recorded.get(digest) ?? this.#sources.images.get(digest));
    const facts = this.#merge(digest, report, recorded);
    const asked = recorded !== undefined;
    const registry = outcomeOf(answer);
    const shared = { digest, digestFrom: digest === null ? null : from, registry, note: null };
    if (answer === null || digest === null) return { ...shared, facts, asked };
    return { ...shared, asked: true, facts: withAnswer({ ...facts, digest }, answer, recorded) };
  }

  #merge(digest: Digest | null, report: TrivyReport | null, recorded: ImageFacts | undefined): ImageFacts {
    if (report === null) return this.#withKev(recorded ?? NO_FACTS);
    this.#usedReports.add(report);
    // A scan says nothing of signatures: of a digest they are unknown, and what has no digest has none.
    const unasked = digest === null ? [] : null;
    return this.#withKev({
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
        // A name without a tag is that of an image known by its digest alone; it tells nothing of `latest`.
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

function outcomeOf(answer: RegistryAnswer | null): FoundFacts['registry'] {
  if (answer === null) return null;
  const { digest, signatures, attestations, provenance, vex } = answer;
  return [digest, signatures, attestations, provenance, vex].includes(null) ? 'failed' : 'answered';
}

const UNTOLD = { signatures: null, attestations: null, provenance: null, vex: null } as const;

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

function newest(reports: readonly TrivyReport[]): TrivyReport | null {
  return reports.reduce<TrivyReport | null>(
    (best, report) => (best === null || scannedAt(report) >= scannedAt(best) ? report : best),
    null,
  );
}

/** A report that does not say when it was made is the oldest. */
function scannedAt({ scan }: TrivyReport): number {
  const at = scan.scannedAt === null ? NaN : parseTime(scan.scannedAt);
  return Number.isNaN(at) ? -Infinity : at;
}

/** The digest under which the registry of this name holds the image; that of another name only if there is one alone. */
function digestOf({ digests }: TrivyReport, name: string): Digest | null {
  const own = new Set(digests.filter((one) => one.name === name).map(({ digest }) => digest));
  const all = new Set(digests.map(({ digest }) => digest));
  const [only, ...others] = own.size > 0 ? own : all;
  return only === undefined || others.length > 0 ? null : only;
}

/** What people and catalogues said of a CVE on this digest still holds when it is scanned again. */
function carryOver(scan: ScanRecord, before: ScanRecord | null): ScanRecord {
  if (before === null || !before.findings || !scan.findings) return scan;
  const known = new Map<string, Pick<Finding, 'triagedUntil' | 'triagedUntilMs' | 'knownExploited'>>();
  for (const finding of before.findings) {
    const there = known.get(finding.cve) ?? finding;
    const { triagedUntil, triagedUntilMs } = finding.triagedUntilMs > there.triagedUntilMs ? finding : there;
    // That a CVE is exploited is said of it once for all packages in which it was found.
    const knownExploited =
      finding.knownExploited === true || there.knownExploited === true
        ? true
        : (finding.knownExploited ?? there.knownExploited);
    known.set(finding.cve, { triagedUntil, triagedUntilMs, knownExploited });
  }
  const findings = scan.findings.map((finding) => {
    const said = known.get(finding.cve);
    if (said === undefined) return finding;
    const { triagedUntil, triagedUntilMs } = said;
    return {
      ...finding,
      triagedUntil,
      triagedUntilMs,
      knownExploited: finding.knownExploited ?? said.knownExploited,
    };
  });
  return { ...scan, findings };
}
