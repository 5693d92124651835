/** PARTS are the processes that a service runs as, in the order in which they are started again. */
export const PARTS = ['webhook', 'service'] as const;

/** PartName names one of them. */
export type PartName = (typeof PARTS)[number];

/** PartSetup is what a part is begun with. It goes over the channel, since the environment is seen by whoever may see processes. */
export interface PartSetup {
  /** The file of settings as it was when the daemon started, so that a part that is started again has the same; null for none. */
  readonly file: { readonly name: string; readonly text: string } | null;
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
  /** It listens to the other part. */
  | { readonly kind: 'open' }
  /** It does its work. */
  | { readonly kind: 'started' }
  /** It lives. */
  | { readonly kind: 'beat' }
  | { readonly kind: 'relay'; readonly message: unknown };

/** BEAT_MS is how often a part that works says that it lives. */
export const BEAT_MS = 1_000;
