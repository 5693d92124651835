import { z } from 'zod';
import { REPLICA_STATES } from '../../replicas/index.ts';
import { listOf } from './paging.ts';

const time = z.iso.datetime().describe('RFC 3339, UTC');

const replicaSchema = z
  .object({
    name: z
      .string()
      .describe(
        'Name of the replica: that of its first host, and something random; it belongs to its volume',
      ),
    state: z
      .enum(REPLICA_STATES)
      .describe(
        '`spools`: rows wait in its spool; `missing`: it ended without a word, or cannot reach the database, and may hold rows',
      ),
    started_at: time,
    seen_at: time.describe('When it wrote last'),
    holding_since: time.optional().describe('Since when rows wait in its spool, as far as it could say'),
    rows: z.int().min(0).describe('Rows that waited when it wrote last'),
    accounted_until: time
      .optional()
      .describe('When a sweep asked last and it had no rows from before; absent before the first'),
    ended_at: time.optional().describe('When it ended and left no rows'),
    forgotten_at: time.optional().describe('When an administrator forgot it'),
  })
  .meta({ id: 'Replica' });

/** replicasSchema is the replicas of a cluster. */
export const replicasSchema = listOf(replicaSchema).meta({ id: 'Replicas' });

/** ReplicasBody is it as the API answers it. */
export type ReplicasBody = z.infer<typeof replicasSchema>;

/** ReplicaBody is one of them. */
export type ReplicaBody = ReplicasBody['items'][number];

/** replicaPath is the parameter of a replica's path. */
export const replicaPath = z.strictObject({
  name: z.string().min(1).max(64).describe('Name of the replica'),
});
