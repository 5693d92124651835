import type { ExportParts, LedgerRow, LedgerSource, SourceLack } from '../ledger/index.ts';
import type { ImagesKnown } from './image-facts.ts';
import { lookedUp } from './image-facts.ts';

/** RecordedRows are what an export is made from. */
export interface RecordedRows extends ImagesKnown {
  readonly source: LedgerSource;
  readonly lacks: readonly SourceLack[];
  readonly cluster: string | null;
  readonly coldImagePolicy: 'AllowAndScan' | 'DenyUntilScanned';
  /** Milliseconds. */
  readonly at: number;
}

const BATCH = 1000;

/** toExport gives the parts of an export: rows are numbered from the oldest, and come newest first. */
export function toExport(recorded: RecordedRows): ExportParts {
  const { rows, images, source, lacks, cluster, coldImagePolicy, at } = recorded;
  return {
    header: {
      exportedAt: at,
      cluster,
      coldImagePolicy,
      source,
      lacks,
      rows: rows.length,
      images: images.length,
      from: rows[0]?.time ?? null,
      to: rows.at(-1)?.time ?? null,
    },
    policies: [],
    images,
    rows: newestFirst(rows),
  };
}

function* newestFirst(rows: readonly Omit<LedgerRow, 'id'>[]): Generator<readonly LedgerRow[]> {
  for (let end = rows.length; end > 0; end -= BATCH) {
    const from = Math.max(0, end - BATCH);
    yield rows
      .slice(from, end)
      .map((row, i) => ({ ...row, id: from + i + 1 }))
      .toReversed();
  }
}

/** asReferences gives what a registry is asked about, each once. */
export function asReferences(rows: readonly Omit<LedgerRow, 'id'>[]): readonly string[] {
  return [...new Set(rows.flatMap((row) => lookedUp(row) ?? []))].toSorted();
}
