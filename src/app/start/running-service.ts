import type { Clock, Log } from '../../base/index.ts';
import type { LedgerAppend } from '../../ledger/index.ts';
import type { Store } from '../../store/index.ts';
import type { Metrics, Redactor } from '../../telemetry/index.ts';
import type { Link } from '../processes/link.ts';
import type { ServiceOperator } from '../service/operator.ts';
import type { ServiceParts } from '../service/parts.ts';
import type { ServiceTrackers } from '../trackers/trackers.ts';
import type { Settings } from '../config/settings.ts';
import type { Pace } from '../trackers/tracker-line.ts';

/** ServiceOptions are what a service is started with. */
export interface ServiceOptions {
  readonly settings: Settings;
  readonly version: string;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Takes what must not stand in the log, as it comes up. */
  readonly redactor: Redactor;
  readonly clock?: Clock;
  /** The environment, of which scanners see what they need; the process's own unless given. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** To the webhook's part, where that runs in a process of its own; else it runs here. */
  readonly link?: Link;
  /** Told once the database is up to date, so that the webhook's part opens it meanwhile. */
  readonly migrated?: () => void;
  /** How calls to trackers wait for each other; by real time unless given. */
  readonly pace?: Pace;
}

/** RunningService is a service that answers. */
export interface RunningService {
  /** Address by which it is called from this machine, without a slash at its end. */
  readonly url: string;
  /** Port of the webhook; null where there is none. */
  readonly webhook: number | null;
  /** One-time code that makes the first administrator; null when an administrator can sign in. */
  readonly setupCode: string | null;
  /** The directory of the service, or the name of its database where it has none. */
  readonly data: string;
  readonly parts: ServiceParts;
  readonly store: Store;
  /** Takes the rows of reviews, durably. */
  readonly append: LedgerAppend;
  /** Integrates what the ledger has grown by, and signs it. */
  checkpoint(): Promise<void>;
  /** Files with trackers, and closes what has ended. */
  readonly trackers: Pick<ServiceTrackers, 'file' | 'sweep'>;
  /** Judges what runs in the cluster again, now; null outside a cluster. */
  readonly sweep: ServiceOperator['sweep'];
  /**
   * Ends in order: not ready any more, nothing new accepted, calls under way ended within the grace (20 s), rows written, the spool put
   * back as far as the database takes it in time, a last checkpoint, everything closed. `passedMs`: how long ago the signal came.
   */
  close(graceMs?: number, passedMs?: number): Promise<void>;
  /** Logs what an end at once leaves in the spool. */
  sayLeft(): void;
}
