import type { CarriedConfig } from './carried-config.ts';

/** PARTS are the processes that a service runs as, in the order in which they are started again. */
export const PARTS = ['webhook', 'service'] as const;

/** PartName names one of them. */
export type PartName = (typeof PARTS)[number];

/** PartSetup is what a part is begun with. It goes over the channel, since the environment is seen by anyone who may see processes. */
export interface PartSetup {
  /** The settings as they were when the daemon started, so that a part that is started again has the same, and need not check them. */
  readonly config: CarriedConfig;
  /** How often this part was started again. */
  readonly lives: number;
}

/** ToPart are the messages that a part takes from the supervisor. */
export type ToPart =
  | { readonly kind: 'begin'; readonly setup: PartSetup }
  /** Of the other part: that it is there (again) or gone, and what it says. */
  | { readonly kind: 'there' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'relay'; readonly message: unknown }
  /** The signal that ends it in order; a second one ends it at once. */
  | { readonly kind: 'stop'; readonly signal: 'SIGTERM' | 'SIGINT' | 'SIGHUP' };

/** FromPart are the messages that a part sends. */
export type FromPart =
  /** It has brought the database up to date, which the other part may open now. */
  | { readonly kind: 'migrated' }
  /** It listens to the other part. */
  | { readonly kind: 'open' }
  /** It does its work. */
  | { readonly kind: 'started' }
  /** It lives. */
  | { readonly kind: 'beat' }
  | { readonly kind: 'relay'; readonly message: unknown };

/** LOWER_BY is by how much a part goes behind the reviews: what else the service does waits for them. */
export const LOWER_BY: Readonly<Record<PartName, number>> = { webhook: 0, service: 10 };

/** BEAT_MS is how often a part that works says that it lives. */
export const BEAT_MS = 1_000;
