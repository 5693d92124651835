import { z } from 'zod';

const rfc3339 = z.string().describe('RFC 3339, UTC');

const clusterSchema = z
  .object({
    cluster: z.string().describe('Name of the cluster; empty where it has none'),
    count: z.int().min(0).describe('Ready nodes when they were counted last'),
    ceiling: z.int().min(0).nullable().describe('Ceiling of the licence then; null for none'),
    counted_at: rfc3339,
    state: z
      .enum(['within', 'over', 'enforced'])
      .describe(
        '`over`: the days of grace run; `enforced`: image names that were not seen this month are denied',
      ),
    names: z
      .int()
      .min(0)
      .describe('Image names that were admitted in the month of the meter; denied ones are not counted'),
    over_since: rfc3339.optional().describe('When the count went above the ceiling; absent within it'),
    enforced_from: rfc3339.optional().describe('When the grace ends, or ended; absent within the ceiling'),
  })
  .meta({ id: 'ClusterNodes' });

/** nodesSchema is how the clusters stand to their node ceiling, and what the meter counted. */
export const nodesSchema = z
  .object({
    items: z.array(clusterSchema).describe('Clusters whose nodes were counted, by name'),
    total: z.int().min(0),
    month: z.string().describe('The month of the meter, such as `2026-10` (UTC)'),
    names: z.int().min(0).describe('Image names of all clusters together'),
  })
  .meta({ id: 'Nodes' });

/** NodesBody is it as the API answers it. */
export type NodesBody = z.infer<typeof nodesSchema>;
