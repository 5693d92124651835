/** ReplicaName is under what a replica's line is kept: it belongs to the volume of its spool, and outlives its process. */
export interface ReplicaName {
  readonly name: string;
  /** Counts the processes that worked on the volume, from 1. */
  readonly life: number;
}

/** Question is what a sweep asks all replicas: whether all that they took on before they read it is in the database. */
export interface Question {
  readonly token: string;
  /** UTC milliseconds by the clock of who asked. */
  readonly askedAt: number;
}

/** ReplicaLine is what the database has of a replica. Times are UTC milliseconds by its own clock unless said. */
export interface ReplicaLine {
  readonly name: string;
  readonly cluster: string;
  readonly life: number;
  readonly startedAt: number;
  /** When it wrote last. */
  readonly seenAt: number;
  /** Since when rows wait for the database, as far as it could say; null for none. */
  readonly holdingSince: number | null;
  readonly rows: number;
  /** Token of the last question that it answered, in this life. */
  readonly answered: string | null;
  /** When the last question was asked that it answered, in any life; null before the first. */
  readonly cleanAt: number | null;
  /** When it ended and left nothing. */
  readonly endedAt: number | null;
  /** When a person forgot it, by the clock of who was asked. */
  readonly forgottenAt: number | null;
}

/** Note says on the Lease of a cluster that a replica spools, and since when by its own clock. */
export interface Note {
  readonly name: string;
  readonly since: number;
}

/** REPLICA_STATES are how a replica can stand: `missing` ended without a word, or cannot reach the database. */
export const REPLICA_STATES = ['answers', 'spools', 'missing', 'ended', 'forgotten'] as const;

/** ReplicaState is how a replica stands. */
export type ReplicaState = (typeof REPLICA_STATES)[number];

/** ReplicaStanding is a replica as people are shown it. */
export interface ReplicaStanding {
  readonly line: ReplicaLine;
  readonly state: ReplicaState;
}

/** BEAT is after how many milliseconds at most a replica writes its line again. */
export const BEAT = 60_000;
/** Whose line did not change for so long is missing. */
const MISSING = 3 * BEAT;

/** stateOf tells how a replica stands; `silent`: milliseconds since its line changed last, as this process saw it. */
export function stateOf({ endedAt, forgottenAt, holdingSince }: ReplicaLine, silent: number): ReplicaState {
  if (forgottenAt !== null) return 'forgotten';
  if (endedAt !== null) return 'ended';
  if (silent > MISSING) return 'missing';
  return holdingSince === null ? 'answers' : 'spools';
}

/** mayHold tells whether a replica in this state may hold rows that the database has not. */
export function mayHold(state: ReplicaState): boolean {
  return state === 'spools' || state === 'missing';
}
