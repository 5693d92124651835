import type { Clock, Count, Digest, Log } from '../base/index.ts';
import type { Keychain, PullPlaces } from '../image/index.ts';
import type { ScanQueue, ScanStore } from './ports.ts';
import type { Rescans } from './rescans.service.ts';
import type { ScanGate } from './scan-gate.ts';
import type { ImageChoice, Scanner, ScanSubjects } from './scanner-ports.ts';

/** ScanOutcome is what became of one claim; `lost`: another worker took it over. */
export type ScanOutcome = 'done' | 'older' | 'incomplete' | 'failed' | 'given_up' | 'stopped' | 'lost';

/** ScanWorkerDeps are what waiting scans are made with. */
export interface ScanWorkerDeps {
  readonly queue: ScanQueue;
  readonly scans: ScanStore;
  readonly subjects: ScanSubjects;
  readonly scanner: Scanner;
  /** Null: every registry is asked anonymously. */
  readonly keychain: Keychain | null;
  /** Null or absent: the scanner chooses among the images of an index. */
  readonly imageOf?: ImageChoice | null | undefined;
  /** Where a repository is asked for: mirrors, and how each is called. Null or absent: only its registry. */
  readonly pullPlaces?: PullPlaces | null | undefined;
  /** Null: nothing is scanned again by itself. */
  readonly rescans: Pick<Rescans, 'want' | 'rest'> | null;
  readonly gate: ScanGate;
  /** Runs an act whose writes commit together or not at all. */
  together<T>(act: () => Promise<T>): Promise<T>;
  /** Takes an attempt back, of a scan that was just put back. */
  forgive(digest: Digest): Promise<void>;
  /** Scans at once, at most. */
  readonly atOnce: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly count: Count;
  /** When this worker began, where it is the only one: what was claimed before is of a process that died. Null: others scan beside it. */
  readonly aloneSince?: number | null | undefined;
  /** Told how many seconds a scan took that gave a report. */
  took(seconds: number): void;
}
