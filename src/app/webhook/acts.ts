import type { ReviewEvent, TagAnswer } from '../../admission/index.ts';
import type { ReplicaStanding } from '../../replicas/index.ts';
import type { StatePiece } from '../processes/kept-state.ts';
import type { JobState } from '../running/jobs.ts';
import type { Counts } from './count-relay.ts';

/** WebhookStatus is how the webhook's part stands, as it says itself. */
export interface WebhookStatus {
  readonly pid: number;
  /** The port it answers on; null where there is none, or not yet. */
  readonly port: number | null;
  /** Null where nothing listens. */
  readonly reviews: ReviewsStatus | null;
  readonly ledger: {
    readonly queued: number;
    readonly spooled: number;
    /** Time of the oldest row in the spool; null when none is there. */
    readonly since: number | null;
    readonly delayed: boolean;
  };
  readonly jobs: readonly JobState[];
  readonly replica: string;
  readonly replicas: readonly ReplicaStanding[];
}

/** ReviewsStatus is how the port of the webhook stands. */
export interface ReviewsStatus {
  /** Why no review should be sent here, or null. */
  readonly unready: string | null;
  /** Reviews that are being answered, and those that were in this life of it. */
  readonly reviews: number;
  readonly answered: number;
  /** Since when the policies could not be brought up to date, in milliseconds, or null. */
  readonly policiesStaleSince: number | null;
  /** Calls that were refused as they did not come from the API server, and when the last one was. */
  readonly refused: { readonly calls: number; readonly lastAt: number | null };
}

/** WebhookActs are what the webhook's part does for the rest of the service. */
export type WebhookActs = {
  /** Takes what is kept in step for it: policies, routes, platforms of nodes, certificate, callers. */
  state(piece: StatePiece): void;
  /** How it stands, and what it counted since it was asked last; `came`: the number of the counts that came last in this life of it, or null. */
  status(given: {
    readonly came: number | null;
  }): Promise<{ readonly status: WebhookStatus; readonly counts: Counts }>;
  /** Lets the next review be decided by what was committed before. */
  inEffect(given: null): Promise<null>;
  /** Lets this replica answer the question of a sweep at once. */
  tick(given: null): Promise<null>;
  /** Reads the lines of all replicas. */
  look(given: null): Promise<ReplicaStanding[]>;
};

/** ServiceActs are what the rest of the service does for the webhook's part. */
export type ServiceActs = {
  events(events: readonly ReviewEvent[]): Promise<null>;
  /** What a tag stands for; the registry may be asked for it. */
  digestOf(reference: string, signal: AbortSignal): Promise<TagAnswer>;
  requestScans(wanted: WantedDigests): Promise<{ readonly unknown: readonly string[] }>;
  collect(wanted: WantedDigests): Promise<{ readonly unknown: readonly string[] }>;
  /** Notes on the Lease that a replica spools, or does not any more. */
  note(note: { readonly name: string; readonly since: number | null }): Promise<null>;
  /** Names (`host/path`) of the images that run. */
  runningNames(given: null): Promise<readonly string[]>;
};

/** WantedDigests are digests that were met at a time, in milliseconds. */
export interface WantedDigests {
  readonly digests: readonly string[];
  readonly at: number;
}

/** TOPICS are what the service keeps in step for the webhook's part. */
export const TOPICS = {
  /** By name: a Policy. Only in a cluster. */
  policies: 'policies',
  /** By `namespace/name`: a ServiceRoute, an IngressRoute. */
  services: 'services',
  ingresses: 'ingresses',
  /** By name of a node: its platform. */
  nodes: 'nodes',
  /** `policies`, `exposure`: since when they may be old, in milliseconds. */
  stale: 'stale',
  /** `serving`: a ServingCertificate. */
  certificate: 'certificate',
  /** `paths`: ends of the paths that the API server calls; `authority`: of its certificate, as PEM. */
  callers: 'callers',
} as const;
