import { z } from 'zod';

const rfc3339 = z.string().describe('RFC 3339, UTC');
const ceiling = z.int().min(0).nullable();

const ceilingSchema = z
  .object({
    nodes: ceiling.describe('Ready nodes; null for no ceiling'),
    image_names: ceiling.describe('Image names a month; null for no ceiling'),
    clusters: ceiling.describe('Clusters; beyond it is warned of, nothing is denied'),
  })
  .meta({ id: 'LicenceCeiling' });

/** licenceSchema is how the licence of the cluster stands. */
export const licenceSchema = z
  .object({
    cluster: z.string().describe('Name of the cluster; empty where it has none'),
    cluster_id: z
      .string()
      .describe('UID of the namespace kube-system; without a cluster, the id of its installation'),
    installation_id: z.string(),
    state: z
      .enum(['none', 'active', 'expired', 'unverified'])
      .describe(
        '`none`: there is no ceiling; `expired`: its ceilings stay; `unverified`: no key of `licence.publicKeys` signed it',
      ),
    certificate: z
      .object({
        id: z.string(),
        customer: z.string(),
        key_id: z.string(),
        issued_at: rfc3339,
        not_after: rfc3339.nullable(),
        signed_by: z.string().nullable().describe('Name of the key that signed it'),
      })
      .nullable(),
    ceiling: ceilingSchema,
    usage: z.object({
      month: z.string().describe('Month of the meter, such as `2026-10` (UTC)'),
      image_names: z.int().min(0).describe('Image names that were admitted in it'),
      nodes: z
        .int()
        .min(0)
        .nullable()
        .describe('Ready nodes when they were counted last; null when they never were'),
      clusters: z.int().min(0).describe('Clusters that report to this database'),
    }),
    activated_at: rfc3339.nullable(),
    request_id: z.string().nullable().describe('The last activation request'),
    key_id: z.string().nullable().describe('Id of the licence key that is set up'),
    online: z.boolean().describe('Whether a licence service is asked once a day'),
    checked_at: rfc3339.nullable(),
    next_check_at: rfc3339.nullable(),
    last_error: z.string().nullable(),
    public_keys: z.array(z.string()).describe('Keys that may sign certificates'),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'Licence' });

/** LicenceBody is it as the API answers it. */
export type LicenceBody = z.infer<typeof licenceSchema>;

/** licenceRequestSchema is the file that a certificate is issued for. */
export const licenceRequestSchema = z
  .object({
    format: z.literal('ipo-licence-request-1'),
    request_id: z.string(),
    cluster_id: z.string(),
    installation_id: z.string(),
    cluster: z.string(),
  })
  .meta({ id: 'LicenceRequest' });

/** activateSchema is a certificate that is to be activated. */
export const activateSchema = z
  .strictObject({
    certificate: z.string().min(1).max(16_384).describe('The certificate, as ipo licence issue wrote it'),
  })
  .meta({ id: 'LicenceActivation' });
