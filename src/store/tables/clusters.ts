import type { Generated } from 'kysely';

/** ClusterTables hold the clusters that were seen and what runs in them. */
export interface ClusterTables {
  clusters: {
    name: string;
    first_seen_at: number;
    last_seen_at: number;
    /** When a person removed it, or null. */
    forgotten_at: number | null;
  };
  reconcile_sweeps: {
    id: Generated<number>;
    cluster: string;
    started_at: number;
    /** Null until the sweep is whole; only a whole one retires images. */
    finished_at: number | null;
    pods: number;
    unreviewed: number;
    refused: number;
    last_error: string | null;
  };
  /** What each workload runs, since when, and when a sweep saw it last. */
  running_images: {
    digest: string;
    cluster: string;
    namespace: string;
    workload: string;
    first_seen_at: number;
    last_seen_at: number;
  };
  /** A cluster that was never counted has no row. */
  nodes: {
    cluster: string;
    count: number;
    /** Null for none. */
    ceiling: number | null;
    counted_at: number;
    /** `within`, `over` or `enforced`. */
    state: string;
    /** When the grace clock started, or null. */
    over_since: number | null;
    /** The event that was notified last, so that each transition is told once. */
    notified: string | null;
  };
}
