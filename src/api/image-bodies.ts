import { formatTime } from '../base/index.ts';
import { toImageFactsDocument } from '../facts/index.ts';
import { SCAN_FAILURES, type Advisory, type Finding, type ScanFailure } from '../findings/index.ts';
import type {
  ImageDetail,
  ImageItem,
  ImageRecord,
  PolicyAnswer,
  Review,
  ScanSummary,
  TriageEntry,
} from '../inventory/index.ts';
import type { CollectionState } from '../supply-chain/index.ts';
import type { ImageDetailBody, ImageItemBody } from './contract/images.ts';
import type { TriageBody } from './contract/triage.ts';

/** Characters of a sentence that a list tells; a sentence can name a thousand CVEs. */
const MAX_REASON = 500;

/** toImageItem gives an image as it stands in a list. */
export function toImageItem({
  digest,
  name,
  state,
  namespaces,
  scan,
  next,
  lastReview,
  failures,
}: ImageItem): ImageItemBody {
  return {
    digest,
    name: name === '' ? null : name,
    state,
    namespaces: [...namespaces],
    last_review: lastReview && toReview(lastReview, MAX_REASON),
    next_admission: next && toAnswer(next),
    scan_failures: failures.map(toScanFailure),
    scan: scan && toScan(scan),
  };
}

/** toScanFailure gives why an image could not be scanned. */
export function toScanFailure(failure: ScanFailure): ImageItemBody['scan_failures'][number] {
  const { platform, reason, message, since, lastAt, attempts, state, againAt } = failure;
  return {
    platform,
    reason,
    message,
    hint: SCAN_FAILURES[reason].hint,
    since: formatTime(since),
    last_at: formatTime(lastAt),
    attempts,
    state,
    again_at: timeOf(againAt),
  };
}

/** toImageDetail gives all that is known of an image; `at` (milliseconds) separates active triage from expired triage. */
export function toImageDetail(
  { item, record, facts, explanation, answers }: ImageDetail,
  at: number,
  collected: CollectionState | null,
): ImageDetailBody {
  const { scan, ...shown } = toImageItem(item);
  const { scanner } = record;
  const proofs = toImageFactsDocument(facts) as Record<
    'signatures' | 'attestations' | 'provenance' | 'vex',
    ProofList
  >;
  return {
    ...shown,
    last_review: item.lastReview && toReview(item.lastReview, Infinity),
    explanation,
    names: [...facts.names],
    source: record.source,
    first_seen_at: formatTime(record.firstSeenAt),
    facts_version: record.factsVersion,
    scan: scan && {
      ...scan,
      recorded_at: timeOf(record.scanRecordedAt),
      scanner: scanner && {
        name: scanner.name,
        version: scanner.version,
        db_updated_at: scanner.dbUpdatedAt,
      },
      platforms: facts.scan?.platforms?.map(({ platform, digest, scanned, scannedAt, os }) => ({
        platform,
        state: stateOf(scanned),
        digest,
        scanned_at: scannedAt,
        os,
      })),
    },
    scan_requested_at: timeOf(record.scanRequestedAt),
    places: record.sightings.map((sighting) => ({
      ...toReview(sighting, Infinity),
      signals: sighting.signals && [...sighting.signals],
      exposed_by: sighting.exposedBy,
    })),
    answers: answers.map(toAnswer),
    findings: facts.scan?.findings ? toFindings(facts.scan.findings, record.presented) : null,
    triage: record.triage.map((entry) => toTriage(entry, at)),
    signatures: proofs.signatures,
    attestations: proofs.attestations,
    provenance: proofs.provenance,
    vex: proofs.vex,
    proofs_collected: collected && {
      tried_at: timeOf(collected.triedAt),
      collected_at: timeOf(collected.collectedAt),
      due_at: formatTime(collected.dueAt),
      problems: collected.problems.map(({ where, reason, message }) => ({ where, reason, message })),
    },
  };
}

type ProofList = Record<string, unknown>[] | null;

/** toTriage gives a triage decision. */
export function toTriage(entry: TriageEntry, at: number): TriageBody {
  const running = entry.until > at ? 'active' : 'expired';
  return {
    id: entry.id,
    digest: entry.digest,
    image: entry.image,
    cve: entry.cve,
    severity: entry.severity,
    reason: entry.reason,
    triaged_by: entry.triagedBy,
    account_id: entry.accountId,
    created_at: formatTime(entry.createdAt),
    until: formatTime(entry.until),
    ended_at: timeOf(entry.endedAt),
    state: entry.endedAt !== null ? 'ended' : running,
  };
}

function stateOf(scanned: boolean): 'scanned' | 'missing' {
  return scanned ? 'scanned' : 'missing';
}

function toScan(scan: ScanSummary): NonNullable<ImageItemBody['scan']> {
  return {
    scanned_at: timeOf(scan.scannedAt),
    os: scan.os,
    findings: scan.findings,
    fixable: scan.fixable,
    known_exploited: scan.knownExploited,
    triaged: scan.triaged,
    ...(scan.platforms && {
      platforms: scan.platforms.map(({ platform, scanned }) => ({ platform, state: stateOf(scanned) })),
    }),
  };
}

function toReview(review: Review, max: number): NonNullable<ImageItemBody['last_review']> {
  return {
    row_id: review.rowId,
    time: formatTime(review.at),
    allowed: review.allowed,
    namespace: review.namespace,
    image: review.image,
    reason: cut(review.reason, max),
    label: review.label,
    policy: review.policy,
    break_glass: review.breakGlass,
  };
}

function toAnswer(answer: PolicyAnswer): NonNullable<ImageItemBody['next_admission']> {
  const { namespace, image, policy, enforcement, verdict, label, reason } = answer;
  return { namespace, image, policy, enforcement, verdict, label, reason };
}

type FindingBody = NonNullable<ImageDetailBody['findings']>[number];

/** What is shown of findings stands beside the facts; where a scan came in between the two, it is left out. */
function toFindings(findings: readonly Finding[], presented: ImageRecord['presented']): FindingBody[] {
  const isSame =
    presented?.length === findings.length && findings.every(({ cve }, i) => cve === presented[i]?.cve);
  const shown = new Map(isSame ? findings.map((finding, i) => [finding, presented[i]]) : []);
  return findings.toSorted(bySeverity).map((finding) => {
    const { advisory = null, foundAt = null } = shown.get(finding) ?? {};
    return {
      ...toFinding(finding),
      ...toAdvisoryBody(advisory),
      ...(foundAt && { found_at: { target: foundAt.target, path: foundAt.path, layer: foundAt.layer } }),
    };
  });
}

/** toAdvisoryBody gives what is known of a vulnerability itself; what is not is left out. */
export function toAdvisoryBody(advisory: Advisory | null): Pick<FindingBody, 'title' | 'cvss' | 'url'> {
  if (advisory === null) return {};
  const { title, cvss, url } = advisory;
  return {
    ...(title !== null && { title }),
    ...(cvss !== null && {
      cvss: { version: cvss.version, score: cvss.score, vector: cvss.vector, source: cvss.source },
    }),
    ...(url !== null && { url }),
  };
}

function toFinding(finding: Finding): FindingBody {
  const { cve, severity, installed, fixed } = finding;
  return {
    cve,
    severity,
    package: finding.package,
    installed,
    fixed,
    known_exploited: finding.knownExploited,
    triaged_until: finding.triagedUntilMs === -Infinity ? null : formatTime(finding.triagedUntilMs),
    ...(finding.platforms && { platforms: finding.platforms.filter((name) => name !== '') }),
  };
}

/** Most severe first, and among those the exploited ones; else as the scanner wrote them. */
function bySeverity(a: Finding, b: Finding): number {
  return b.rank - a.rank || Number(b.knownExploited === true) - Number(a.knownExploited === true);
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`;
}

function timeOf(at: number | null): string | null {
  return at === null ? null : formatTime(at);
}
