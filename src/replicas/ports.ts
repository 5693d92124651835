import type { Note, Question, ReplicaLine } from './replica.ts';

/** Holding is what a replica's own ledger knows of its rows. */
export interface Holding {
  /** Whether rows go to the spool, or wait there. */
  readonly delayed: boolean;
  readonly waiting: {
    readonly spooled: number;
    /** Time of the oldest row in the spool; null when none is there. */
    readonly since: number | null;
  };
  /** A place behind all that was taken on so far. */
  mark(): number;
  /** Whether all before that place is in the database. */
  past(mark: number): boolean;
}

/** Report is what a replica says of itself; `answer` is a question that it can answer now, or null. */
export interface Report {
  readonly name: string;
  readonly cluster: string;
  readonly life: number;
  /** UTC milliseconds of its own clock. */
  readonly at: number;
  readonly holdingSince: number | null;
  readonly rows: number;
  readonly answer: Question | null;
}

/** ReplicaStore keeps the lines of replicas and the question of each cluster. Each act is atomic. */
export interface ReplicaStore {
  /** Begins a life: what an earlier one answered counts no more. False when a later life has begun already. */
  begin(report: Omit<Report, 'answer'>): Promise<boolean>;
  /** Writes the line of this life; it is back if it was forgotten. Where no line is: `absent`, where a later life is: `later`. */
  report(report: Report): Promise<'written' | 'absent' | 'later'>;
  /** Says that this life ended and left nothing. */
  end(name: string, life: number, at: number): Promise<void>;
  /** What stands of a cluster, in the order of names. */
  read(
    cluster: string,
  ): Promise<{ readonly question: Question | null; readonly lines: readonly ReplicaLine[] }>;
  /** Asks, in the place of the last question. Throws when another process leads the cluster since. */
  ask(fence: number, cluster: string, question: Question): Promise<void>;
  /** Forgets a replica; one that is known only by a note gets a line for it. False when it is forgotten already. */
  forget(name: string, cluster: string, at: number): Promise<boolean>;
}

/** SpoolNotes keeps notes of who spools where the cluster keeps its Lease. Rejects when that cannot be reached. */
export interface SpoolNotes {
  /** Writes the note of one replica and touches no other; `since` null takes it away. */
  write(name: string, since: number | null): Promise<void>;
  read(): Promise<readonly Note[]>;
}
