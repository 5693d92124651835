import { sql } from 'kysely';
import { NO_CEILING, type Ceilings, type LicenceStore, type StoredLicence } from '../../licence/index.ts';
import { run, type Row } from '../sql/run.ts';
import type { Store } from '../sql/store.ts';

/** licenceStore keeps the licence of each cluster in a database. */
export function licenceStore(store: Store): LicenceStore {
  return {
    async read(cluster) {
      const [row] = await run(
        store.read,
        sql<LicenceRow>`select cluster_id, certificate, activated_at, expires_at, nodes, image_names, clusters, request_id, checked_at, last_error
         from licences where cluster = ${cluster}`,
      );
      return row === undefined ? null : toStored(row);
    },
    async activate(cluster, { clusterId, certificate, expiresAt, ceiling, at }) {
      const { nodes, imageNames, clusters } = ceiling;
      await store.write((transaction) =>
        run(
          transaction,
          sql`insert into licences (cluster, cluster_id, certificate, activated_at, expires_at, nodes, image_names, clusters)
           values (${cluster}, ${clusterId}, ${certificate}, ${at}, ${expiresAt}, ${nodes}, ${imageNames}, ${clusters})
           on conflict (cluster) do update set cluster_id = excluded.cluster_id, certificate = excluded.certificate,
             activated_at = excluded.activated_at, expires_at = excluded.expires_at, nodes = excluded.nodes,
             image_names = excluded.image_names, clusters = excluded.clusters`,
        ),
      );
    },
    deactivate: (cluster) =>
      store.write(async (transaction) => {
        const taken = await run(
          transaction,
          sql`update licences set certificate = null, activated_at = null, expires_at = null, nodes = null, image_names = null,
           clusters = null, request_id = null where cluster = ${cluster} and certificate is not null returning cluster`,
        );
        return taken.length > 0;
      }),
    async request(cluster, clusterId, requestId) {
      await store.write((transaction) =>
        run(
          transaction,
          sql`insert into licences (cluster, cluster_id, request_id) values (${cluster}, ${clusterId}, ${requestId})
           on conflict (cluster) do update set cluster_id = excluded.cluster_id, request_id = excluded.request_id`,
        ),
      );
    },
    takeCheck: (cluster, clusterId, last, at) =>
      store.write(async (transaction) => {
        // The second one finds another time there, or a row where there was none.
        const isLast = last === null ? sql`licences.checked_at is null` : sql`licences.checked_at = ${last}`;
        const taken = await run(
          transaction,
          sql`insert into licences (cluster, cluster_id, checked_at) values (${cluster}, ${clusterId}, ${at})
           on conflict (cluster) do update set checked_at = excluded.checked_at where ${isLast} returning cluster`,
        );
        return taken.length > 0;
      }),
    async checkEnded(cluster, error) {
      await store.write((transaction) =>
        run(transaction, sql`update licences set last_error = ${error} where cluster = ${cluster}`),
      );
    },
    async newestCheckpointAt() {
      const [row] = await run(
        store.read,
        sql<Row<'checkpoints', 'at'>>`select at from checkpoints order by size desc limit 1`,
      );
      return row?.at ?? null;
    },
    async clusters() {
      const [row] = await run(
        store.read,
        sql<{ readonly count: number }>`select count(*) as count from nodes`,
      );
      return row?.count ?? 0;
    },
  };
}

/** storedCeilings gives what the certificate of a cluster allows, from the database: of one that ran out too. */
export function storedCeilings({ read }: Pick<Store, 'read'>, cluster: string): Ceilings {
  return {
    async current() {
      const [row] = await run(
        read,
        sql<
          Row<'licences', 'nodes' | 'image_names'>
        >`select nodes, image_names from licences where cluster = ${cluster}`,
      );
      return row === undefined ? NO_CEILING : { nodes: row.nodes, imageNames: row.image_names };
    },
  };
}

type LicenceRow = Row<
  'licences',
  | 'cluster_id'
  | 'certificate'
  | 'activated_at'
  | 'expires_at'
  | 'nodes'
  | 'image_names'
  | 'clusters'
  | 'request_id'
  | 'checked_at'
  | 'last_error'
>;

function toStored(row: LicenceRow): StoredLicence {
  return {
    clusterId: row.cluster_id,
    certificate: row.certificate,
    activatedAt: row.activated_at,
    expiresAt: row.expires_at,
    ceiling: { nodes: row.nodes, imageNames: row.image_names, clusters: row.clusters },
    requestId: row.request_id,
    checkedAt: row.checked_at,
    lastError: row.last_error,
  };
}
