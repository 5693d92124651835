/** ReplicaTables hold what replicas say of the rows that they may hold. */
export interface ReplicaTables {
  /** Which replicas may hold rows that are not here; one for each volume of a spool. */
  replicas: {
    name: string;
    cluster: string;
    /** Counts the processes that worked on the volume. */
    life: number;
    started_at: number;
    seen_at: number;
    /** Since when rows wait in its spool; null for none. */
    holding_since: number | null;
    waiting_rows: number;
    /** Token of the last question that this life answered. */
    answered: string | null;
    /** When the last question was asked that it answered. */
    clean_at: number | null;
    /** When it ended and left nothing. */
    ended_at: number | null;
    forgotten_at: number | null;
  };
  /** What the leader of a cluster asked its replicas last. */
  replica_questions: { cluster: string; token: string; asked_at: number };
}
