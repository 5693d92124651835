import type { DetectorDoor, DropReason } from '../../api/index.ts';
import type { Keys, Log } from '../../base/index.ts';
import type { CarriedFault } from '../programs/carried-fault.ts';

/** DetectorSetup says where the process listens and where it keeps events. It goes over the channel, since an address may hold a password. */
export interface DetectorSetup {
  /** `sqlite:PATH` or `postgres://…`. */
  readonly url: string;
  /** Name of the cluster; empty for none. */
  readonly cluster: string;
  readonly host: string;
  readonly port: number;
  readonly door: DetectorDoor;
}

/** ToDetector are the messages that the process takes. */
export type ToDetector =
  | { readonly kind: 'setup'; readonly setup: DetectorSetup }
  /** Other certificates, for connections from now on. */
  | { readonly kind: 'door'; readonly door: DetectorDoor }
  /** To end in order, within `graceMs`. */
  | { readonly kind: 'end'; readonly graceMs: number };

/** DetectorCounts are what came since the last ones. */
export interface DetectorCounts {
  readonly events: readonly { readonly source: string; readonly priority: string; readonly count: number }[];
  readonly dropped: Readonly<Partial<Record<DropReason, number>>>;
  /** When the newest event was kept, in milliseconds; null for none since the last counts. */
  readonly lastAt: number | null;
}

/** FromDetector are the messages that the process sends. */
export type FromDetector =
  | { readonly kind: 'listens'; readonly port: number }
  | { readonly kind: 'failed'; readonly fault: CarriedFault }
  | ({ readonly kind: 'counts' } & DetectorCounts)
  | { readonly kind: 'log'; readonly level: keyof Log; readonly message: string; readonly keys: Keys };
