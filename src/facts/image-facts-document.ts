import { formatTime, IpoError, isDigest, parseTime, sha256Hex } from '../base/index.ts';
import { severityRank, type Finding, type ScanRecord, type Severity } from '../findings/index.ts';
import type { ImageFacts, ProvenanceEntry, SignedAttestation, SignedEntry, VexEntry } from './image-facts.ts';

/** FactsError says which field of recorded facts cannot be read, and why. */
export class FactsError extends IpoError {
  override readonly name = 'FactsError';
  constructor(path: string, found: string) {
    super('invalid_facts', `${path} ${found}`);
  }
}

type Json = Readonly<Record<string, unknown>>;

/**
 * parseImageFacts reads the facts of one digest in the form of the ledger export (snake_case; unknown keys are
 * left alone, absent keys read as null). Written by hand rather than with a schema library, since an export can
 * hold millions of findings. Throws FactsError.
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
  const os = scan.os === null || scan.os === undefined ? null : object(scan.os, 'scan.os');
  return {
    scannedAt: time(scan.scanned_at, 'scan.scanned_at'),
    scanner: scanner && {
      name: optionalString(scanner.name, 'scan.scanner.name') ?? '',
      version: optionalString(scanner.version, 'scan.scanner.version') ?? '',
      dbUpdatedAt: time(scanner.db_updated_at, 'scan.scanner.db_updated_at'),
    },
    os: os && {
      family: optionalString(os.family, 'scan.os.family') ?? '',
      name: optionalString(os.name, 'scan.os.name') ?? '',
      eosl: optionalBoolean(os.eosl, 'scan.os.eosl') ?? false,
    },
    findings: triagedByCve(nullableList(scan.findings, 'scan.findings', finding)),
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
    throw new FactsError(`${path}.severity`, 'is none of CRITICAL, HIGH, MEDIUM, LOW, UNKNOWN');
  }
  const triagedUntil = time(entry.triaged_until, `${path}.triaged_until`);
  const cve = string(entry.cve, `${path}.cve`);
  if (cve === '') throw new FactsError(`${path}.cve`, 'is empty');
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
  };
}

function signedEntry(value: unknown, path: string): SignedEntry {
  const entry = object(value, path);
  const signed = {
    identity: optionalString(entry.identity, `${path}.identity`),
    issuer: optionalString(entry.issuer, `${path}.issuer`),
    payload: optionalString(entry.payload, `${path}.payload`),
    signature: optionalString(entry.signature, `${path}.signature`),
    payloadType: optionalString(entry.payload_type, `${path}.payload_type`),
  };
  const keyed = signed.payload !== null && signed.signature !== null;
  if (signed.identity === null && !keyed) {
    throw new FactsError(path, 'has neither an identity nor a payload with its signature');
  }
  return signed;
}

function attestation(value: unknown, path: string): SignedAttestation {
  const predicateType = string(object(value, path).predicate_type, `${path}.predicate_type`);
  return { ...signedEntry(value, path), predicateType };
}

function vexEntry(value: unknown, path: string): VexEntry {
  const entry = object(value, path);
  return {
    ...signedEntry(value, path),
    cve: string(entry.cve, `${path}.cve`),
    status: string(entry.status, `${path}.status`),
    packages: nullableList(entry.packages, `${path}.packages`, string),
    ...(entry.except === undefined ? {} : { except: nullableList(entry.except, `${path}.except`, string) }),
  };
}

function provenanceEntry(value: unknown, path: string): ProvenanceEntry {
  const entry = object(value, path);
  return {
    builderId: string(entry.builder_id, `${path}.builder_id`),
    signer: optionalString(entry.signer, `${path}.signer`),
    issuer: optionalString(entry.issuer, `${path}.issuer`),
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
    },
    ...lists,
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
  return {
    attestations: facts.attestations && facts.attestations.map(attestationDocument),
    ...(facts.noPackagesUntilMs !== undefined && { no_packages_until: formatTime(facts.noPackagesUntilMs) }),
    provenance:
      facts.provenance &&
      facts.provenance.map(({ builderId, signer, issuer }) => ({ builder_id: builderId, issuer, signer })),
    scan: scan && {
      findings: scan.findings && scan.findings.map(findingDocument),
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
  readonly scan: { readonly findings: readonly Json[] | null; readonly os: Json | null } | null;
  readonly signatures: readonly Json[] | null;
  readonly vex: readonly Json[] | null;
}

function findingDocument(entry: Finding): Json {
  return {
    cve: entry.cve,
    fixed: entry.fixed,
    installed: entry.installed,
    known_exploited: entry.knownExploited,
    package: entry.package,
    ...(entry.purl ? { purl: entry.purl } : {}),
    severity: entry.severity,
    triaged_until: entry.triagedUntil,
  };
}

function attestationDocument(entry: SignedAttestation): Json {
  const { identity, issuer, payload, payload_type, signature } = signedFields(entry);
  return present({ identity, issuer, payload, payload_type, predicate_type: entry.predicateType, signature });
}

function vexDocument(entry: VexEntry): Json {
  const { identity, issuer, payload, payload_type, signature } = signedFields(entry);
  return present({
    cve: entry.cve,
    except: entry.except ?? undefined,
    identity,
    issuer,
    packages: entry.packages ?? undefined,
    payload,
    payload_type,
    signature,
    status: entry.status,
  });
}

function signedDocument(entry: SignedEntry): Json {
  return present(signedFields(entry));
}

function signedFields(entry: SignedEntry) {
  return {
    identity: entry.identity ?? undefined,
    issuer: entry.identity === null ? undefined : entry.issuer,
    payload: entry.payload ?? undefined,
    payload_type: entry.payloadType ?? undefined,
    signature: entry.signature ?? undefined,
  };
}

/** The fields that are set, in their order. */
function present(fields: Json): Json {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function object(value: unknown, path: string): Json {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new FactsError(path, 'is not an object');
  }
  return value as Json;
}

function list(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new FactsError(path, 'is not a list');
  return value as unknown[];
}

function nullableList<T>(
  value: unknown,
  path: string,
  parse: (entry: unknown, path: string) => T,
): T[] | null {
  if (value === null || value === undefined) return null;
  return list(value, path).map((entry, i) => parse(entry, `${path}[${i}]`));
}

function string(value: unknown, path: string): string {
  if (typeof value !== 'string') throw new FactsError(path, 'is not a text');
  return value;
}

function optionalString(value: unknown, path: string): string | null {
  return value === null || value === undefined ? null : string(value, path);
}

function optionalBoolean(value: unknown, path: string): boolean | null {
  if (value === null || value === undefined) return null;
  if (typeof value !== 'boolean') throw new FactsError(path, 'is not true or false');
  return value;
}

function time(value: unknown, path: string): string | null {
  const text = optionalString(value, path);
  if (text !== null && Number.isNaN(parseTime(text))) throw new FactsError(path, 'is not an RFC 3339 time');
  return text;
}
