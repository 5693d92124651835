import { IpoError, isIpoError, parseTime } from '../../base/index.ts';
import { readExport, type LedgerExport, type LedgerRow } from '../../ledger/index.ts';
import { readCsv } from '../csv.ts';
import type { EvidenceDocument } from '../document.ts';
import { parseDocument } from '../schema.ts';
import type { EvidenceSource, SourceFacts } from '../ports.ts';
import { POPULATIONS, type PopulationName, type RecordOf } from '../records.ts';
import type { EvidenceRequest } from '../request.ts';
import { FILE_NAMES } from './make.ts';
import { ROWS_FILE, rowsOf, type Gunzip } from './rows.ts';
import { openZip, readWhole, type Archive, type Entry } from './zip-read.ts';

const MAX_JSON = 64 * 1024 * 1024;

/** Package is a package that is opened for reading; nothing of it is verified yet. */
export interface Package {
  readonly name: string;
  readonly document: EvidenceDocument;
  /** The bytes of `evidence.json`. */
  readonly json: Buffer;
  readonly entries: ReadonlyMap<string, Entry>;
  /** Reads a small file; null where it is not in the package. */
  read(name: string): Promise<Buffer | null>;
  /** The rows, uncompressed. */
  rows(): AsyncIterable<Uint8Array>;
}

/** openPackage opens a package. `gunzip` uncompresses its rows. Throws IpoError `damaged`, `truncated` or `format`. */
export async function openPackage(archive: Archive, gunzip: Gunzip): Promise<Package> {
  const all = await openZip(archive);
  const entries = new Map(all.map((entry) => [entry.name, entry]));
  const stranger = all.find(({ name }) => !FILE_NAMES.has(name));
  if (stranger !== undefined)
    throw new IpoError(
      'damaged',
      `${archive.name}: the file ${stranger.name} is not a file of an evidence package`,
    );
  const read = async (name: string): Promise<Buffer | null> => {
    const entry = entries.get(name);
    return entry === undefined ? null : readWhole(entry, MAX_JSON);
  };
  const json = await read('evidence.json');
  if (json === null)
    throw new IpoError(
      'format',
      `${archive.name}: this is not an evidence package: evidence.json is missing`,
    );
  return {
    name: archive.name,
    document: parseDocument(json, archive.name),
    json,
    entries,
    read,
    rows: () => rowsOf(archive.name, entries.get(ROWS_FILE), gunzip),
  };
}

/** requestOf gives the request that a package was made for. */
export function requestOf({ generation: { request } }: EvidenceDocument): EvidenceRequest {
  return {
    from: parseTime(request.from),
    to: parseTime(request.to),
    frameworks: request.frameworks,
    clusters: request.clusters,
    namespaces: request.namespaces,
    includeRuntimeRaw: request.include_runtime_raw,
  };
}

/** Another text in the place of the rows is damage: a package always has an export there. */
function asDamage(error: unknown): never {
  if (!isIpoError(error) || (error.code !== 'format' && error.code !== 'empty')) throw error;
  const { message, place } = error;
  throw new IpoError('damaged', message, { place, hint: 'Get the package again', cause: error });
}

/** toSource gives a package as the source of a package: everything is counted again from what is inside, its rows from `rows`. Throws IpoError. */
export async function toSource(
  pkg: Package,
  rows: AsyncIterable<Uint8Array>,
): Promise<{ readonly source: EvidenceSource; close(): Promise<void> }> {
  const { document } = pkg;
  const ledger: LedgerExport = await readExport(rows, `${pkg.name}/${ROWS_FILE}`, { whole: true }).catch(
    asDamage,
  );
  const table = <P extends PopulationName>(population: P, isThere: boolean) => {
    type One = RecordOf<(typeof POPULATIONS)[P]['columns']>;
    if (!isThere) return null;
    const { file, columns } = POPULATIONS[population];
    const entry = pkg.entries.get(file);
    if (entry === undefined) throw new IpoError('damaged', `${pkg.name}: ${file} is missing`);
    return readCsv(columns, `${pkg.name}/${file}`, entry.content()) as unknown as AsyncIterable<
      readonly One[]
    >;
  };
  const source: EvidenceSource = {
    facts: factsOf(document),
    rows: {
      policies: ledger.policies,
      async *lines(take) {
        for await (const batch of ledger.rows()) {
          take(batch.shapes as readonly LedgerRow[]);
          yield '';
        }
      },
    },
    issues: () => table('issues', !('note' in document.issues)),
    findings: () => table('vulnerabilities', !('note' in document.vulnerabilities)),
    triage: () => table('triage', !('note' in document.triage)),
    images: () => table('images', pkg.entries.has(POPULATIONS.images.file)),
  };
  return { source, close: () => ledger.close() };
}

function factsOf(document: EvidenceDocument): SourceFacts {
  const { organisation, generation, coverage, issues, mutes, runtime, ledger } = document;
  const key = generation.public_key;
  return {
    kind: generation.source,
    organisation: {
      name: organisation.name,
      contact: organisation.contact,
      declarations:
        'note' in organisation.declarations
          ? null
          : organisation.declarations.map((one) => ({
              id: one.id,
              statement: one.statement,
              declaredBy: one.declared_by,
              declaredAt: parseTime(one.declared_at),
              validUntil: one.valid_until === null ? null : parseTime(one.valid_until),
            })),
    },
    versions: {
      service: generation.service,
      scanner:
        generation.scanner === null
          ? null
          : {
              name: generation.scanner.name,
              version: generation.scanner.version,
              databaseAt:
                generation.scanner.database_at === null ? null : parseTime(generation.scanner.database_at),
            },
    },
    nodes: 'note' in generation.nodes ? null : generation.nodes,
    exemptNamespaces: coverage.exempt_namespaces,
    days:
      coverage.days?.map((day) => ({
        cluster: day.cluster,
        day: Math.floor(parseTime(`${day.date}T00:00:00Z`) / 86_400_000),
        answered: day.minutes_answered,
        sweeps: day.sweeps,
        partialSweeps: day.partial_sweeps,
        accountedSweeps: day.accounted_sweeps,
        detectorEvents: day.detector_events,
        detectorHeartbeats: day.detector_heartbeats,
      })) ?? null,
    began:
      coverage.recorded_since?.map(({ record, cluster, at }) => ({ record, cluster, at: parseTime(at) })) ??
      null,
    clusters:
      coverage.clusters?.map(({ name, last_row_at: row, sent_nothing_since: silent }) => ({
        name,
        lastSeenAt: parseTime(silent ?? row ?? document.made_at),
      })) ?? null,
    tracker: 'note' in issues ? null : issues.tracker_connected,
    rescanHours: generation.rescan_hours,
    runtime: 'note' in runtime ? null : runtime,
    mutes:
      'note' in mutes
        ? null
        : {
            total: mutes.total,
            items: mutes.items.map(({ muted_at, until, ended_at, muted_by, unmuted_by, ...mute }) => ({
              ...mute,
              mutedAt: parseTime(muted_at),
              until: parseTime(until),
              endedAt: ended_at === null ? null : parseTime(ended_at),
              mutedBy: muted_by,
              unmutedBy: unmuted_by,
            })),
          },
    ledger: {
      rows: coverage.rows.ledger,
      anchors:
        'note' in ledger.anchors
          ? null
          : ledger.anchors.map((anchor) => ({ ...anchor, at: parseTime(anchor.at) })),
    },
    publicUrl: key === null ? null : key.replace(/\/api\/v1\/evidence\/public-key$/, ''),
  };
}
