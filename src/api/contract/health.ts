import { z } from 'zod';
import { SCAN_FAILURE_REASONS } from '../../findings/index.ts';
import { ANCHOR_REFUSALS } from '../../ledger/index.ts';
import { REPLICA_STATES } from '../../replicas/index.ts';

const time = z.iso.datetime().describe('RFC 3339, UTC');
const age = z.string().meta({ examples: ['54m old', '26h old'] });
const partState = z.enum(['ok', 'degraded', 'down']);

/** healthSchema is the answer of `GET /system/health`. Times and ages that are not known are left out. */
export const healthSchema = z
  .object({
    status: partState.describe('The worst of the parts'),
    version: z.string(),
    started_at: time,
    database: z.object({
      status: partState,
      engine: z.enum(['sqlite', 'postgres']),
      message: z.string().optional(),
    }),
    ledger: z.object({
      status: partState,
      rows: z.int().min(0).optional(),
      tree_size: z.int().min(0).optional().describe('Rows that the Merkle tree covers'),
      checkpoint: z
        .object({ size: z.int().min(0), at: time, age })
        .optional()
        .describe('The newest signed checkpoint'),
      spool: z
        .object({ rows: z.int().min(0), holding: z.boolean() })
        .optional()
        .describe('Rows that wait for the database, and whether new ones go there too'),
      clock: z
        .object({
          behind_seconds: z
            .number()
            .min(0)
            .describe(
              'How far the clock is behind the newest recorded time; 0 within 2 seconds. Rows are marked meanwhile',
            ),
          recorded_at: time.optional().describe('The newest time of a row or a checkpoint'),
        })
        .describe('The clock of this replica against what the ledger has recorded'),
      anchors: z
        .array(
          z.object({
            name: z.string(),
            status: partState,
            size: z.int().min(0),
            tried_at: time,
            refused: z
              .enum(ANCHOR_REFUSALS)
              .optional()
              .describe(
                'Why nothing is published there: what it holds is not this ledger, and was left as it is',
              ),
            message: z.string().optional(),
          }),
        )
        .describe('Places outside that are told of checkpoints, with the size that each was told last'),
      message: z.string().optional(),
    }),
    replay: z
      .object({ status: partState, message: z.string().optional() })
      .describe('The process that replays run in'),
    jobs: z.array(
      z.object({
        name: z.string(),
        status: partState,
        last_success_at: time.optional(),
        message: z.string().optional(),
      }),
    ),
    webhook: z
      .object({
        status: partState,
        reviews: z.int().min(0).describe('Reviews that are being answered'),
        certificate_ends_at: time.optional().describe('End of its serving certificate'),
        refused_calls: z
          .object({ calls: z.int().min(1), last_at: time })
          .optional()
          .describe('Calls since the start that did not come from the API server, and the last one'),
        message: z.string().optional(),
      })
      .optional()
      .describe('The admission webhook of the replica that answers; absent where there is none'),
    cluster: z
      .object({
        status: partState,
        name: z.string().optional(),
        leads: z.boolean().describe('Whether the replica that answers is the leader'),
        reads: z
          .array(z.object({ kind: z.string(), status: partState, stale_since: time.optional() }))
          .describe('What is read of the cluster, and since when it may be old'),
        replicas: z
          .array(
            z.object({
              name: z.string(),
              state: z.enum(REPLICA_STATES),
              since: time.optional().describe('Since when it may hold rows that the database has not'),
              rows: z.int().min(0),
            }),
          )
          .describe('Replicas of the cluster; sweeps skip pods that one of them may hold rows of'),
        message: z.string().optional(),
      })
      .optional()
      .describe('The cluster whose operator the service is; absent outside a cluster'),
    vulnerability_database_age: age
      .optional()
      .describe('Since the newest database that a scan used was made'),
    notifications: z
      .object({
        waiting: z
          .int()
          .min(0)
          .describe(
            'Messages, and subjects gathered for the next, of channels that are neither disabled nor muted',
          ),
        failed: z.int().min(0).describe('Messages that were given up in the last 24 hours'),
        oldest_at: time.optional().describe('When the oldest of what waits was made or happened'),
        age: age.optional(),
      })
      .optional()
      .describe('What the channels are told (`ipo channel show`); absent while the database does not answer'),
    kev_state: z
      .object({
        version: z.string().optional(),
        entries: z.int().min(0).optional(),
        fetched_at: time.optional().describe('When the one in use was fetched'),
        checked_at: time.optional().describe('When its source was last seen to have nothing else'),
        message: z
          .string()
          .optional()
          .describe('Why the last attempt failed; the one that is kept is in use'),
      })
      .describe('The catalogue of known exploited vulnerabilities'),
    trivy_db_state: z
      .object({
        updated_at: time.optional().describe('When it was made'),
        checked_at: time
          .optional()
          .describe('When it was last seen to be the newest, or a scan with it recorded'),
        fetched_at: time.optional().describe('When the one in use was fetched'),
        message: z
          .string()
          .optional()
          .describe('Why the last attempt failed; the one that is there stays in use'),
      })
      .describe('The vulnerability database'),
    scanner: z
      .object({
        status: partState,
        name: z.string(),
        running: z.int().min(0).describe('Scans that are under way'),
        message: z.string().optional().describe('Why it does not work'),
      })
      .optional()
      .describe('What scans images in the replica that answers; absent where nothing does'),
    scan_failures: z
      .object({
        images: z.int().min(1).describe('Images whose newest attempt failed'),
        by_reason: z
          .partialRecord(z.enum(SCAN_FAILURE_REASONS), z.int().min(1))
          .describe('By why; an image that fails on two platforms can count for two'),
      })
      .optional()
      .describe('Images that cannot be scanned (`ipo images show` says why); absent where there are none'),
    registries: z
      .object({
        status: partState.describe('`degraded` while one that answered before does not'),
        away: z.array(
          z.object({
            host: z.string(),
            answered_before: z
              .boolean()
              .describe('Whether it ever answered this replica; a pod can name any host'),
            since: time,
            asked_again_at: time.describe('Until then nothing is asked of it'),
          }),
        ),
        more: z.int().min(1).optional().describe('How many do not answer beside those'),
      })
      .optional()
      .describe('Registries that do not answer the replica that answers'),
    untrusted_proxies: z
      .object({
        message: z.string().describe('What to set'),
        addresses: z.array(z.object({ address: z.string(), since: time, last_at: time })),
      })
      .optional()
      .describe(
        'Addresses that pass requests on to the replica that answers and are not in `trustedProxies`: their clients cannot be told ' +
          'apart. Anyone can send `X-Forwarded-For`, so they do not change `status`',
      ),
  })
  .meta({ id: 'Health' });

/** HealthBody is the answer of `GET /system/health`. */
export type HealthBody = z.infer<typeof healthSchema>;
