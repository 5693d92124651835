import type { LedgerRow } from '../ledger/index.ts';
import type { Attestation, Judge } from './attestations/attestation.ts';
import { Judges } from './attestations/index.ts';
import { criticalWindows, windowAt } from './critical-window.ts';
import { csvHead, csvLine } from './csv.ts';
import { Governing } from './governing.ts';
import { ROWS_FILE } from './package/rows.ts';
import type { EvidenceSource, RowsVerified } from './ports.ts';
import {
  POPULATIONS,
  type BypassRecord,
  type Columns,
  type PopulationName,
  type RecordOf,
  type TriageRecord,
} from './records.ts';
import type { EvidenceRequest } from './request.ts';
import { RowWalk, type RowSink } from './row-walk.ts';
import { AdmissionTally } from './sections/admissions.ts';
import { BreakGlassTally } from './sections/break-glass.ts';
import { PodTally } from './sections/coverage.ts';
import { inWindow, IssueTally } from './sections/issues.ts';
import { FindingTally } from './sections/vulnerabilities.ts';

/** TextFile takes the text of a file of the package, in order. */
export interface TextFile {
  write(text: string | Uint8Array): Promise<void>;
  end(): Promise<void>;
}

/** ComposeDeps are where a composition writes to. */
export interface ComposeDeps {
  /** Opens a file of the package. */
  open(name: string): Promise<TextFile>;
  /** Verifies the file of the rows, once it is written. */
  verifyRows(): Promise<RowsVerified>;
  /** Told how many rows were read. Throws to end it. */
  progress?(rows: number): void;
}

/** Composed is what the populations come to. */
export interface Composed {
  readonly governing: Governing;
  readonly walk: RowWalk;
  readonly admissions: AdmissionTally;
  readonly pods: PodTally;
  readonly bypasses: BreakGlassTally;
  readonly triage: readonly TriageRecord[] | null;
  readonly findings: FindingTally | null;
  readonly issues: IssueTally | null;
  readonly windowHours: number | null;
  readonly verified: RowsVerified;
  readonly attestations: readonly Attestation[];
}

/**
 * compose reads a source once, writes the rows and the tables, and judges the attestations. Memory is that of a batch, and of what people
 * decided; it does not grow with the rows.
 */
export async function compose(
  source: EvidenceSource,
  request: EvidenceRequest,
  at: number,
  deps: ComposeDeps,
): Promise<Composed> {
  const { facts } = source;
  const governing = new Governing(source.rows.policies);
  const judges = new Judges({ request, at, facts, governing });
  const missing = new Set<keyof Judge>();
  const tables = new Tables(deps);

  const triage = await readTriage(source);
  if (triage === null) missing.add('triage');
  else {
    triage.forEach(judges.over('triage'));
    await tables.write('triage', [triage]);
  }
  const rows = await composeRows(source, { request, governing, triage: triage ?? [] }, judges, deps);

  const findings = source.findings();
  const findingTally = findings === null ? null : new FindingTally(request);
  if (findings === null) missing.add('finding');
  else
    await tables.write('vulnerabilities', mapped(findings, normal), (finding) => {
      findingTally?.take(finding);
      judges.over('finding')(finding);
    });

  const windows = criticalWindows(governing, request);
  const issues = source.issues();
  const issueTally = issues === null ? null : new IssueTally(request);
  const judgeIssue = judges.over('issue');
  if (issues === null) missing.add('issue');
  else
    await tables.write(
      'issues',
      mapped(issues, (issue) => inWindow(normal(issue), windows, at)),
      (issue) => {
        issueTally?.take(issue);
        judgeIssue(issue);
      },
    );

  const images = source.images();
  if (images === null) missing.add('image');
  else await tables.write('images', mapped(images, normal), judges.over('image'));

  const verified = await deps.verifyRows();
  judges.over('rows')(verified);
  if (facts.days === null) missing.add('days');
  else judges.over('days')(facts.days);
  const window = windowAt(windows, request.to);
  return {
    governing,
    ...rows,
    triage,
    findings: findingTally,
    issues: issueTally,
    windowHours: window === null ? null : Math.round(window / 36_000) / 100,
    verified,
    attestations: judges.end(missing),
  };
}

type RowParts = Pick<Composed, 'walk' | 'admissions' | 'pods' | 'bypasses'>;

async function composeRows(
  source: EvidenceSource,
  asked: RowsAsked,
  judges: Judges,
  deps: ComposeDeps,
): Promise<RowParts> {
  const [admissions, pods, bypasses] = [new AdmissionTally(), new PodTally(), new BreakGlassTally()];
  const [judgePod, judgeBypass] = [judges.over('pod'), judges.over('bypass')];
  const walk = await writeRows(source, asked, deps, {
    row: (row, at) => {
      asked.governing.asked(row, at);
      admissions.take(row);
    },
    admitted: judges.over('admitted'),
    pod: (pod) => {
      pods.take(pod);
      judgePod(pod);
    },
    bypass: (bypass) => {
      bypasses.take(bypass);
      judgeBypass(bypass);
    },
  });
  return { walk, admissions, pods, bypasses };
}

/** RowsAsked is what of the rows is asked for, and what they are judged with. */
export interface RowsAsked {
  readonly request: EvidenceRequest;
  readonly governing: Governing;
  readonly triage: readonly TriageRecord[];
}

/** writeRows reads the rows of a source once, and writes them and the tables that follow from them. `sink` gets what the walk finds. */
export async function writeRows(
  source: EvidenceSource,
  { request, governing, triage }: RowsAsked,
  deps: Pick<ComposeDeps, 'open' | 'progress'>,
  sink: RowSink,
): Promise<RowWalk> {
  const bypassed: BypassRecord[] = [];
  let podText = '';
  const walk = new RowWalk(request, governing, source.facts.exemptNamespaces, triage, {
    ...sink,
    pod: (pod) => {
      sink.pod(pod);
      podText += csvLine(POPULATIONS.pods.columns, pod);
    },
    bypass: (bypass) => {
      sink.bypass(bypass);
      bypassed.push(bypass);
    },
  });
  const file = await deps.open(ROWS_FILE);
  const podFile = await deps.open(POPULATIONS.pods.file);
  await podFile.write(csvHead(POPULATIONS.pods.columns));
  const take = (batch: readonly LedgerRow[]): void => walk.take(batch);
  for await (const block of source.rows.lines(take)) {
    await file.write(block);
    await podFile.write(podText);
    podText = '';
    deps.progress?.(walk.rows);
  }
  walk.end();
  await podFile.write(podText);
  await podFile.end();
  await file.end();
  await new Tables(deps).write('break-glass', [bypassed]);
  return walk;
}

/** Tables writes populations as tables. */
class Tables {
  readonly #deps: Pick<ComposeDeps, 'open'>;
  constructor(deps: Pick<ComposeDeps, 'open'>) {
    this.#deps = deps;
  }

  async write<P extends PopulationName>(
    population: P,
    batches: Batches<RecordOf<(typeof POPULATIONS)[P]['columns']>>,
    take?: (record: RecordOf<(typeof POPULATIONS)[P]['columns']>) => void,
  ): Promise<void> {
    const { file: name } = POPULATIONS[population];
    const columns: Columns = POPULATIONS[population].columns;
    const file = await this.#deps.open(name);
    await file.write(csvHead(columns));
    for await (const batch of batches) {
      let text = '';
      for (const record of batch) {
        take?.(record);
        text += csvLine(columns, record as RecordOf<Columns>);
      }
      await file.write(text);
    }
    await file.end();
  }
}

type Batches<T> = AsyncIterable<readonly T[]> | Iterable<readonly T[]>;

/** A table cannot tell an empty text from none, so there is none. */
function normal<T>(record: T): T {
  const entries = Object.entries(record as object).map(([key, value]) => [
    key,
    value === '' ? null : (value as unknown),
  ]);
  return Object.fromEntries(entries) as T;
}

async function* mapped<T>(
  batches: AsyncIterable<readonly T[]>,
  to: (one: T) => T,
): AsyncGenerator<readonly T[]> {
  for await (const batch of batches) yield batch.map(to);
}

/** readTriage reads the decisions of a source that people took; null where none are recorded. */
export async function readTriage(source: EvidenceSource): Promise<TriageRecord[] | null> {
  return all(source.triage());
}

async function all<T>(batches: AsyncIterable<readonly T[]> | null): Promise<T[] | null> {
  if (batches === null) return null;
  const found: T[] = [];
  for await (const batch of batches) found.push(...batch.map(normal));
  return found;
}
