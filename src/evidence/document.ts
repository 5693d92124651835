import { byCodeUnit, formatTime } from '../base/index.ts';
import type { Composed } from './compose.ts';
import { MAX_BYPASSES, type BreakGlassTally } from './sections/break-glass.ts';
import { coverageSection } from './sections/coverage.ts';
import { MAX_ISSUES } from './sections/issues.ts';
import { mutesSection } from './sections/mutes.ts';
import { policiesSection } from './sections/policies.ts';
import { triageSection } from './sections/triage.ts';
import type { SourceFacts } from './ports.ts';
import type { EvidenceRequest } from './request.ts';
import { requirementsOf } from './requirements.ts';
import { toBase64 } from '../ledger/index.ts';

/** FORMAT names the version of `evidence.json`. */
export const FORMAT = 'ipo.evidence/1';

/** NOT_HERE stands for a section that the source does not hold. */
const NOT_HERE = { note: 'not in this source' } as const;

/** FileEntry names a file of data. */
export interface FileEntry {
  readonly name: string;
  readonly sha256: string;
  readonly size: number;
}

/** DocumentParts are what the document is made from. */
export interface DocumentParts {
  readonly id: string;
  readonly at: number;
  readonly request: EvidenceRequest;
  readonly facts: SourceFacts;
  readonly keyId: string;
  readonly composed: Composed;
  readonly files: readonly FileEntry[];
}

/** EvidenceDocument is `evidence.json`. */
export type EvidenceDocument = ReturnType<typeof toDocument>;

/** toDocument makes `evidence.json` of what a composition found. The same parts give the same document. */
export function toDocument({ id, at, request, facts, keyId, composed, files }: DocumentParts) {
  const { governing, walk, attestations, verified, triage, findings, issues } = composed;
  const rowsFile = files.find(({ name }) => name === 'admissions.ndjson.gz');
  return {
    format: FORMAT,
    id,
    made_at: formatTime(at),
    period: { from: formatTime(request.from), to: formatTime(request.to) },
    organisation: {
      name: facts.organisation.name,
      contact: facts.organisation.contact,
      declarations:
        facts.organisation.declarations === null
          ? NOT_HERE
          : facts.organisation.declarations.map(toDeclaration),
    },
    generation: {
      source: facts.kind,
      service: facts.versions.service,
      scanner: scannerOf(facts),
      nodes: facts.nodes ?? NOT_HERE,
      rescan_hours: facts.rescanHours,
      clock: formatTime(at),
      key_id: keyId,
      public_key: facts.publicUrl === null ? null : `${facts.publicUrl}/api/v1/evidence/public-key`,
      request: {
        from: formatTime(request.from),
        to: formatTime(request.to),
        frameworks: request.frameworks,
        clusters: request.clusters,
        namespaces: request.namespaces,
        include_runtime_raw: request.includeRuntimeRaw,
      },
    },
    ledger: {
      rows: verified.rows.count,
      signed: verified.rows.signed,
      first: verified.rows.first,
      last: verified.rows.last,
      verified: verified.holds,
      tree:
        verified.tree === null
          ? null
          : { origin: verified.tree.origin, size: verified.tree.size, root: toBase64(verified.tree.root) },
      key: verified.key,
      anchors:
        facts.ledger.anchors?.map(({ sink, size, at: since, refused }) => ({
          sink,
          size,
          at: formatTime(since),
          refused,
        })) ?? NOT_HERE,
    },
    policies: policiesSection(governing, request),
    admissions: composed.admissions.section({ name: 'admissions.ndjson.gz', sha256: rowsFile?.sha256 ?? '' }),
    coverage: coverageSection(composed.pods, walk, facts, request),
    break_glass: composed.bypasses.section(),
    triage: triage === null ? NOT_HERE : triageSection(triage, request),
    vulnerabilities: findings === null ? NOT_HERE : findings.section(),
    issues:
      issues === null
        ? NOT_HERE
        : { tracker_connected: facts.tracker, ...issues.section(composed.windowHours) },
    mutes: facts.mutes === null ? NOT_HERE : mutesSection(facts.mutes),
    runtime: facts.runtime ?? NOT_HERE,
    attestations,
    requirements: requirementsOf(request.frameworks, attestations),
    files: files.toSorted((a, b) => byCodeUnit(a.name, b.name)),
    limits: limitsOf(composed, facts, request),
  };
}

function toDeclaration(declaration: NonNullable<SourceFacts['organisation']['declarations']>[number]) {
  return {
    id: declaration.id,
    statement: declaration.statement,
    declared_by: declaration.declaredBy,
    declared_at: formatTime(declaration.declaredAt),
    valid_until: declaration.validUntil === null ? null : formatTime(declaration.validUntil),
  };
}

function scannerOf({ versions: { scanner } }: SourceFacts) {
  if (scanner === null) return null;
  const { name, version, databaseAt } = scanner;
  return { name, version, database_at: databaseAt === null ? null : formatTime(databaseAt) };
}

/** What was cut, and how much; and what the package cannot show. */
function limitsOf(
  { bypasses, issues, walk, triage, verified }: Composed,
  facts: SourceFacts,
  request: EvidenceRequest,
) {
  const limits: { section: string; shown: number | null; total: number | null; why: string }[] = [];
  const cut = (section: string, shown: number, total: number): void => {
    if (total > shown)
      limits.push({ section, shown, total, why: `The document lists ${shown}; the table has all.` });
  };
  cut('break_glass', MAX_BYPASSES, (bypasses as BreakGlassTally).total);
  cut('triage', 1000, triage?.length ?? 0);
  cut('issues', MAX_ISSUES, issues?.total ?? 0);
  if (facts.mutes !== null && facts.mutes.total > facts.mutes.items.length)
    limits.push({
      section: 'mutes',
      shown: facts.mutes.items.length,
      total: facts.mutes.total,
      why: 'The oldest are listed.',
    });
  if (facts.runtime !== null && facts.runtime.decisions_total > facts.runtime.decisions.length)
    limits.push({
      section: 'runtime.decisions',
      shown: facts.runtime.decisions.length,
      total: facts.runtime.decisions_total,
      why: 'The newest are listed.',
    });
  if (facts.runtime?.raw && facts.runtime.events > facts.runtime.raw.length)
    limits.push({
      section: 'runtime.raw',
      shown: facts.runtime.raw.length,
      total: facts.runtime.events,
      why: 'The newest are listed.',
    });
  if (facts.ledger.rows !== null && verified.tree !== null && facts.ledger.rows > verified.tree.size)
    limits.push({
      section: 'admissions',
      shown: verified.tree.size,
      total: facts.ledger.rows,
      why: 'The newest rows were not signed yet when the package was made, so they are not in it.',
    });
  if (request.namespaces.length > 0)
    limits.push({
      section: 'vulnerabilities',
      shown: null,
      total: null,
      why: 'Findings, triage, issues and images are not told apart by namespace; all are counted.',
    });
  if (request.clusters.length > 0 && facts.kind === 'service')
    limits.push({
      section: 'triage',
      shown: null,
      total: null,
      why: 'Triage decisions and mutes hold for all clusters; all are counted.',
    });
  if (facts.kind === 'export')
    limits.push({
      section: 'source',
      shown: null,
      total: null,
      why: 'The package was made only from an export of the ledger: sections without a source say so.',
    });
  if (walk.rows === 0)
    limits.push({ section: 'admissions', shown: 0, total: 0, why: 'No row was recorded in the period.' });
  return limits;
}
