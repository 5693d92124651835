import { z } from 'zod';
import { parseTime } from '../../base/index.ts';
import { ANCHOR_REFUSALS, LABEL_WANTED, ROW_LABELS } from '../../ledger/index.ts';
import { pageSchema } from './paging.ts';

/** LEDGER_PAGE is how many rows a page holds unless said. */
export const LEDGER_PAGE = 100;
/** MAX_EXPORT_DAYS is how far back `days` reaches: a hundred years. */
const MAX_EXPORT_DAYS = 36_525;

const rfc3339 = z.string().describe('RFC 3339, UTC');
const base64 = z.string().describe('SHA-256 in base64');
const nullable = z.string().nullable();

/** rowSchema is a row of the ledger; the same fields as in an export. */
export const rowSchema = z
  .object({
    id: z.int().min(1),
    kind: z.string().describe('`review`, `unreviewed` or `reconcile`'),
    time: rfc3339,
    review_uid: nullable,
    cluster: nullable,
    namespace: nullable,
    pod: nullable,
    pod_uid: nullable,
    container: nullable,
    image: nullable.describe('As written in the pod; null on a row of the pod as a whole'),
    digest: nullable,
    allowed: z.boolean().describe("This image's verdict as answered"),
    review_allowed: z.boolean().describe('The answer to the pod'),
    reason: z.string(),
    label: nullable,
    policy: nullable,
    policy_revision: z.string(),
    break_glass: z.boolean(),
    break_glass_reason: nullable,
    signals: z.array(z.string()).nullable(),
    exposed_by: nullable,
    subresource: nullable,
    requester: nullable,
    pod_level: z.boolean(),
    inputs: nullable,
    platform: z
      .string()
      .nullish()
      .describe('Platform of the nodes by which it was judged; absent: by the worst of the image'),
    clock_suspect: z
      .boolean()
      .nullish()
      .describe('Whether the clock of its replica was behind what the ledger had recorded; absent: false'),
  })
  .meta({ id: 'LedgerRow' });

/** checkpointSchema is a signed checkpoint of the tree over the rows. */
export const checkpointSchema = z
  .object({
    size: z.int().min(1).describe('Rows that it proves'),
    root: base64,
    at: rfc3339.describe('When it was signed'),
    note: z.string().describe('The signed note (c2sp.org/tlog-checkpoint)'),
  })
  .meta({ id: 'Checkpoint' });

/** ledgerSchema is how the ledger stands. */
export const ledgerSchema = z
  .object({
    rows: z.int().min(0),
    tree_size: z.int().min(0).describe('Rows that the tree covers'),
    root: base64.describe('Root of the tree at that size'),
    origin: z.string().describe('Name of the log'),
    key: z.string().describe("Verifier's key of the log: name, key id and public key"),
    checkpoint: checkpointSchema.nullable().describe('The newest'),
    spool: z.object({
      rows: z.int().min(0).describe('Rows that wait for the database'),
      delayed: z.boolean().describe('Whether rows go to the spool now'),
    }),
    anchors: z
      .array(
        z.object({
          name: z.string(),
          size: z.int().min(0).describe('Rows of the last checkpoint that it took; 0 for none'),
          at: rfc3339.describe('When it was last told'),
          last_error: nullable,
          refused: z
            .enum(ANCHOR_REFUSALS)
            .nullable()
            .describe(
              'Why nothing is published there: what it holds is not this ledger, and was left as it is',
            ),
        }),
      )
      .describe('Places outside that are told of checkpoints'),
  })
  .meta({ id: 'Ledger' });

const time = (name: string) =>
  z
    .string()
    .refine((text) => !Number.isNaN(parseTime(text)), { error: `${name} is not an RFC 3339 time` })
    .transform(parseTime)
    .optional();
const text = (max: number) => z.string().min(1).max(max).optional();
const flag = (name: string) =>
  z
    .enum(['true', 'false'], { error: `${name} must be true or false` })
    .transform((value) => value === 'true')
    .optional();
const period = {
  from: time('from').describe('Rows from this time on; it belongs to the period'),
  to: time('to').describe('Rows up to this time; it belongs to the period'),
  days: z.coerce
    .number({ error: 'days must be a whole number' })
    .int({ error: 'days must be a whole number' })
    .min(1, { error: `days must be between 1 and ${MAX_EXPORT_DAYS}` })
    .max(MAX_EXPORT_DAYS, { error: `days must be between 1 and ${MAX_EXPORT_DAYS}` })
    .optional()
    .describe('Rows of the last days of 24 hours, instead of from and to'),
};

/** rowsQuery narrows and pages the rows. */
export const rowsQuery = z.strictObject({
  namespace: text(253),
  cluster: text(253),
  image: text(512).describe('A part of the image as written, whatever the case'),
  digest: text(200),
  label: z.enum(ROW_LABELS, { error: LABEL_WANTED }).optional().describe('The label of the denial'),
  policy: text(253),
  refused: flag('refused').describe('Images that were denied (true) or allowed (false)'),
  break_glass: flag('break_glass').describe('Rows that bypassed the policies (true) or did not (false)'),
  ...period,
  ...pageSchema.shape,
  limit: pageSchema.shape.limit.describe(`Rows of the page; ${LEDGER_PAGE} unless said`),
});

/** exportQuery says which part of the ledger is exported, and in which form. */
export const exportQuery = z.strictObject({
  ...period,
  format: z
    .enum(['ndjson', 'gz'], { error: 'format must be ndjson or gz' })
    .optional()
    .describe(
      '`gz` gives a compressed file. Otherwise it is compressed on the way when Accept-Encoding takes gzip',
    ),
});

const id = z.coerce
  .number({ error: 'id must be a whole number' })
  .int({ error: 'id must be a whole number' })
  .min(1, { error: 'id counts from 1' });

/** rowPath is the parameter of a row's path. */
export const rowPath = z.strictObject({ id });

const size = (name: string) =>
  z.coerce
    .number({ error: `${name} must be the size of a tree` })
    .int({ error: `${name} must be the size of a tree` })
    .min(1, { error: `${name} must be at least 1` })
    .max(Number.MAX_SAFE_INTEGER, { error: `${name} is beyond every tree` });

/** consistencyQuery names two sizes of the tree. */
export const consistencyQuery = z.strictObject({
  from: size('from').describe('Rows of the earlier tree'),
  to: size('to').optional().describe('Rows of the later tree; those of the newest checkpoint unless said'),
});

/** consistencySchema proves that one size of the tree extends another. */
export const consistencySchema = z
  .object({
    from: z.int().min(1),
    to: z.int().min(1),
    proof: z.array(base64).describe('RFC 6962, section 2.1.2'),
  })
  .meta({ id: 'Consistency' });

/** RowBody is a row as the API answers it. */
export type RowBody = z.infer<typeof rowSchema>;
/** CheckpointBody is a checkpoint as the API answers it. */
export type CheckpointBody = z.infer<typeof checkpointSchema>;
/** LedgerBody is the state of the ledger as the API answers it. */
export type LedgerBody = z.infer<typeof ledgerSchema>;
/** ConsistencyBody is a consistency proof as the API answers it. */
export type ConsistencyBody = z.infer<typeof consistencySchema>;
