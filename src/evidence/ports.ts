import type { LedgerRow, RecordedPolicy, Verification } from '../ledger/index.ts';
import type { FindingRecord, ImageRecord, IssueRecord, TriageRecord } from './records.ts';

/** EvidenceDay is what happened in a cluster on a day. */
export interface EvidenceDay {
  readonly cluster: string;
  /** Counted from 1970 in UTC. */
  readonly day: number;
  /** Minutes of the period on this day in which a replica answered; null where it is not recorded. */
  readonly answered: number | null;
  readonly sweeps: number;
  readonly partialSweeps: number;
  readonly accountedSweeps: number;
  readonly detectorEvents: number;
  readonly detectorHeartbeats: number;
}

/** Declaration is what the organisation says of itself. */
export interface Declaration {
  readonly id: string;
  readonly statement: string;
  readonly declaredBy: string;
  readonly declaredAt: number;
  readonly validUntil: number | null;
}

/** MuteFacts are the times of a period during which channels were muted. */
export interface MuteFacts {
  readonly total: number;
  /** The oldest, at most 1000. */
  readonly items: readonly {
    readonly id: number;
    /** Id of the channel; its name and kind are null once it is deleted. */
    readonly channel: string;
    readonly name: string | null;
    readonly kind: string | null;
    readonly mutedAt: number;
    /** When it would end by itself. */
    readonly until: number;
    /** When somebody ended it earlier. */
    readonly endedAt: number | null;
    readonly reason: string;
    readonly mutedBy: string | null;
    readonly unmutedBy: string | null;
  }[];
}

/** RuntimeSection is what the runtime tables hold of a period, as a package writes it. */
export interface RuntimeSection {
  readonly rules: readonly {
    readonly name: string;
    readonly enabled: boolean;
    readonly action: string;
    readonly match: unknown;
    /** The strongest effect that it had in the period; null for none. */
    readonly effect: string | null;
    readonly events: number;
  }[];
  readonly policies: readonly {
    readonly name: string;
    readonly enabled: boolean;
    readonly document: unknown;
  }[];
  readonly events: number;
  /** Events by how they were joined to an image: `field`, `pod`, or `none`. */
  readonly joined: Readonly<Record<string, number>>;
  readonly by_effect: Readonly<Record<string, number>>;
  readonly stops: Readonly<Record<string, number>>;
  readonly decisions_total: number;
  /** The newest, at most 500, each with its `policy_effect`. */
  readonly decisions: readonly Readonly<Record<string, unknown>>[];
  /** The newest, at most 5000; null where they were not asked for. */
  readonly raw: readonly Readonly<Record<string, unknown>>[] | null;
}

/** LedgerFacts are what is known of the ledger beside the rows. */
export interface LedgerFacts {
  /** Rows that the ledger has; null where only a part of it is at hand. */
  readonly rows: number | null;
  /** Places outside of the service that hold its checkpoints; null where that is not known. */
  readonly anchors:
    | readonly {
        readonly sink: string;
        readonly size: number;
        readonly at: number;
        readonly refused: string | null;
      }[]
    | null;
}

/** SourceFacts are what a package says beside its populations. Null stands for what the source does not hold. */
export interface SourceFacts {
  readonly kind: 'service' | 'export';
  readonly organisation: {
    readonly name: string | null;
    readonly contact: string | null;
    readonly declarations: readonly Declaration[] | null;
  };
  readonly versions: {
    readonly service: string;
    readonly scanner: {
      readonly name: string;
      readonly version: string | null;
      readonly databaseAt: number | null;
    } | null;
  };
  readonly nodes: { readonly count: number | null; readonly ceiling: number | null } | null;
  readonly exemptNamespaces: readonly string[];
  readonly days: readonly EvidenceDay[] | null;
  /** Since when something is recorded, by record and cluster. */
  readonly began:
    | readonly { readonly record: string; readonly cluster: string; readonly at: number }[]
    | null;
  /** Clusters that are known, and when they were heard of last. */
  readonly clusters: readonly { readonly name: string; readonly lastSeenAt: number }[] | null;
  /** Whether a tracker is connected; null where that is not known. */
  readonly tracker: boolean | null;
  /** Hours between scans of one image. */
  readonly rescanHours: number;
  readonly runtime: RuntimeSection | null;
  readonly mutes: MuteFacts | null;
  readonly ledger: LedgerFacts;
  readonly publicUrl: string | null;
}

/** RowsFile is the file of the rows: its text, and the same rows as they are read. */
export interface RowsFile {
  readonly policies: readonly RecordedPolicy[];
  /** The lines of the file in blocks; each batch of rows is given to `take` before the block that holds it. */
  lines(take: (rows: readonly LedgerRow[]) => void): AsyncIterable<string | Uint8Array>;
}

/** EvidenceSource is what a package is made from, read in one snapshot. Lists come in a stated order; null is not in this source. */
export interface EvidenceSource {
  readonly facts: SourceFacts;
  readonly rows: RowsFile;
  issues(): AsyncIterable<readonly IssueRecord[]> | null;
  findings(): AsyncIterable<readonly FindingRecord[]> | null;
  triage(): AsyncIterable<readonly TriageRecord[]> | null;
  images(): AsyncIterable<readonly ImageRecord[]> | null;
}

/** RowsVerified is what became of verifying the file of the rows. */
export type RowsVerified = Pick<Verification, 'holds' | 'tree' | 'key' | 'rows'>;

/** Staged is a file of a package that is written: its own size and digest, and its bytes as they go into the archive. */
export interface Staged {
  readonly name: string;
  readonly size: number;
  /** Hex. */
  readonly sha256: string;
  readonly crc: number;
  readonly method: 'store' | 'deflate';
  readonly packed: number;
  read(): AsyncIterable<Uint8Array>;
}

/** Scratch keeps bytes for as long as a package is made. */
export interface Scratch {
  open(name: string): Promise<{
    write(bytes: Uint8Array): Promise<void>;
    end(): Promise<() => AsyncIterable<Uint8Array>>;
  }>;
}
