import { formatTime, isDigest, parseTime, sha256Hex } from '../base/index.ts';
import {
  FactsError,
  list,
  nullableList,
  object,
  optionalBoolean,
  optionalString,
  string,
  time,
  type Json,
} from './fields.ts';
import {
  missingPlatforms,
  severityRank,
  type Finding,
  type OperatingSystem,
  type ScannedPlatform,
  type ScanRecord,
  type Severity,
} from '../findings/index.ts';
import type { ImageFacts } from './image-facts.ts';
import {
  attestation,
  attestationDocument,
  provenanceDocument,
  provenanceEntry,
  signedDocument,
  signedEntry,
  vexDocument,
  vexEntry,
} from './signed-documents.ts';

/**
 * parseImageFacts reads the facts of one digest in the form of the ledger export (snake_case; unknown keys are ignored, absent keys read as
 * null). Written by hand rather than with a schema library, since an export can hold millions of findings. Throws FactsError.
 */
export function parseImageFacts(value: unknown): ImageFacts {
  const image = object(value, 'image');
  const digest = string(image.digest, 'digest');
  if (!isDigest(digest)) throw new FactsError('digest', 'is not sha256: with 64 lowercase hex digits');
  return {
    digest,
    names: list(image.names ?? [], 'names').map((name, i) => string(name, `names[${i}]`)),
    scan: image.scan === null || image.scan === undefined ? null : scanRecord(image.scan),
    signatures: nullableList(image.signatures, 'signatures', signedEntry),
    attestations: nullableList(image.attestations, 'attestations', attestation),
    provenance: nullableList(image.provenance, 'provenance', provenanceEntry),
    vex: nullableList(image.vex, 'vex', vexEntry),
    ...noPackages(time(image.no_packages_until, 'no_packages_until')),
  };
}

function noPackages(until: string | null): Pick<ImageFacts, 'noPackagesUntilMs'> {
  return until === null ? {} : { noPackagesUntilMs: parseTime(until) };
}

function scanRecord(value: unknown): ScanRecord {
  const scan = object(value, 'scan');
  const scanner =
    scan.scanner === null || scan.scanner === undefined ? null : object(scan.scanner, 'scan.scanner');
  const platforms = nullableList(scan.platforms, 'scan.platforms', scannedPlatform);
  return {
    scannedAt: time(scan.scanned_at, 'scan.scanned_at'),
    scanner: scanner && {
      name: optionalString(scanner.name, 'scan.scanner.name') ?? '',
      version: optionalString(scanner.version, 'scan.scanner.version') ?? '',
      dbUpdatedAt: time(scanner.db_updated_at, 'scan.scanner.db_updated_at'),
    },
    os: operatingSystem(scan.os, 'scan.os'),
    findings: triagedByCve(nullableList(scan.findings, 'scan.findings', finding)),
    ...(platforms !== null && { platforms }),
  };
}

function operatingSystem(value: unknown, path: string): OperatingSystem | null {
  if (value === null || value === undefined) return null;
  const os = object(value, path);
  return {
    family: optionalString(os.family, `${path}.family`) ?? '',
    name: optionalString(os.name, `${path}.name`) ?? '',
    eosl: optionalBoolean(os.eosl, `${path}.eosl`) ?? false,
  };
}

function scannedPlatform(value: unknown, path: string): ScannedPlatform {
  const entry = object(value, path);
  const scanned = optionalBoolean(entry.scanned, `${path}.scanned`);
  if (scanned === null) throw new FactsError(`${path}.scanned`, 'is not true or false');
  return {
    platform: string(entry.platform, `${path}.platform`),
    digest: optionalString(entry.digest, `${path}.digest`),
    scanned,
    scannedAt: time(entry.scanned_at, `${path}.scanned_at`),
    os: operatingSystem(entry.os, `${path}.os`),
  };
}

/** A triage decision covers a CVE for the image, so that of one finding holds for the others of the CVE. */
function triagedByCve(findings: Finding[] | null): Finding[] | null {
  if (findings === null || !findings.some(({ triagedUntil }) => triagedUntil !== null)) return findings;
  const until = new Map<string, number>();
  for (const { cve, triagedUntilMs } of findings)
    until.set(cve, Math.max(until.get(cve) ?? -Infinity, triagedUntilMs));
  return findings.map((entry) => ({ ...entry, triagedUntilMs: until.get(entry.cve) ?? -Infinity }));
}

function finding(value: unknown, path: string): Finding {
  const entry = object(value, path);
  const severity = string(entry.severity, `${path}.severity`);
  const rank = severityRank(severity);
  if (rank === undefined) {
    throw new FactsError(`${path}.severity`, 'is not one of CRITICAL, HIGH, MEDIUM, LOW, UNKNOWN');
  }
  const triagedUntil = time(entry.triaged_until, `${path}.triaged_until`);
  const cve = string(entry.cve, `${path}.cve`);
  if (cve === '') throw new FactsError(`${path}.cve`, 'is empty');
  const platforms = nullableList(entry.platforms, `${path}.platforms`, string);
  return {
    cve,
    severity: severity as Severity,
    rank,
    package: optionalString(entry.package, `${path}.package`) ?? '',
    installed: optionalString(entry.installed, `${path}.installed`) ?? '',
    ...(entry.purl === undefined ? {} : { purl: optionalString(entry.purl, `${path}.purl`) }),
    fixed: optionalString(entry.fixed, `${path}.fixed`) || null, // some scanners write an empty text for none
    knownExploited: optionalBoolean(entry.known_exploited, `${path}.known_exploited`),
    triagedUntil,
    triagedUntilMs: triagedUntil === null ? -Infinity : parseTime(triagedUntil),
    ...(platforms !== null && { platforms }),
  };
}

/** toImageFactsDocument gives the export's form of recorded facts, without the line's `type`. */
export function toImageFactsDocument(facts: ImageFacts): Json {
  const { scan } = facts;
  const scanner = scan?.scanner;
  const { scan: decided, ...lists } = decidedFacts(facts);
  return {
    digest: facts.digest,
    names: facts.names,
    scan: scan && {
      scanned_at: scan.scannedAt,
      scanner: scanner && {
        name: scanner.name,
        version: scanner.version,
        db_updated_at: scanner.dbUpdatedAt,
      },
      ...decided,
      ...platformDocuments(scan),
    },
    ...lists,
  };
}

/** What tells platforms apart is for readers; the decision has been given the scan of its platform, or the worst of all. */
function platformDocuments({ findings, platforms }: ScanRecord): Json {
  if (platforms === null || platforms === undefined) return {};
  return {
    missing: undefined, // follows from the platforms
    platforms: platforms.map(({ platform, digest, scanned, scannedAt, os }) => ({
      platform,
      digest,
      scanned,
      scanned_at: scannedAt,
      os: os && { eosl: os.eosl, family: os.family, name: os.name },
    })),
    ...(findings !== null && {
      findings: findings.map((entry) =>
        entry.platforms ? { ...findingDocument(entry), platforms: entry.platforms } : findingDocument(entry),
      ),
    }),
  };
}

/**
 * factsDigest gives the hex SHA-256 of everything that a decision can read from recorded facts. Names, scan time
 * and scanner are not among them: a rescan that finds the same leaves it as it was.
 */
export function factsDigest(facts: ImageFacts): string {
  return sha256Hex(JSON.stringify(decidedFacts(facts)));
}

/** Keys stand in the order of RFC 8785, so that JSON.stringify gives the canonical form, ten times as fast. */
function decidedFacts(facts: ImageFacts): DecidedFacts {
  const { scan } = facts;
  const missing = scan === null ? [] : missingPlatforms(scan);
  return {
    attestations: facts.attestations && facts.attestations.map(attestationDocument),
    ...(facts.noPackagesUntilMs !== undefined && { no_packages_until: formatTime(facts.noPackagesUntilMs) }),
    provenance: facts.provenance && facts.provenance.map(provenanceDocument),
    scan: scan && {
      findings: scan.findings && scan.findings.map(findingDocument),
      // Left out where nothing is missing, so that the digest of facts is what it was before platforms were told apart.
      ...(missing.length > 0 && { missing }),
      os: scan.os && { eosl: scan.os.eosl, family: scan.os.family, name: scan.os.name },
    },
    signatures: facts.signatures && facts.signatures.map(signedDocument),
    vex: facts.vex && facts.vex.map(vexDocument),
  };
}

interface DecidedFacts {
  readonly attestations: readonly Json[] | null;
  /** Left out where there is none, so that facts without it are written, and hashed, as they were before it was known. */
  readonly no_packages_until?: string;
  readonly provenance: readonly Json[] | null;
  readonly scan: {
    readonly findings: readonly Json[] | null;
    readonly missing?: readonly string[];
    readonly os: Json | null;
  } | null;
  readonly signatures: readonly Json[] | null;
  readonly vex: readonly Json[] | null;
}

/** Two forms in full: to spread an optional field into each would take most of the time. */
function findingDocument(entry: Finding): Json {
  const { cve, fixed, installed, knownExploited: known_exploited, package: name, purl, severity } = entry;
  const triaged_until = entry.triagedUntil;
  return purl
    ? { cve, fixed, installed, known_exploited, package: name, purl, severity, triaged_until }
    : { cve, fixed, installed, known_exploited, package: name, severity, triaged_until };
}
