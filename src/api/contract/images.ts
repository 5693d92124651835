import { z } from 'zod';
import { SCAN_FAILURE_REASONS, SCAN_FAILURE_STATES, SEVERITIES } from '../../findings/index.ts';
import { IMAGE_SORTS, IMAGE_STATES } from '../../inventory/index.ts';
import { MAX_SCAN_DIGESTS } from '../../scan/index.ts';
import { advisorySchema, foundAtSchema } from './advisory.ts';
import { listOf, pageSchema } from './paging.ts';
import { triageSchema } from './triage.ts';

const time = z.string().describe('RFC 3339, UTC');
const count = z.int().min(0);

/** digestSchema is a digest in a request; its form is the domain's to check, so that its sentence is told. */
export const digestSchema = z.string().describe('`sha256:<64 lowercase hexadecimal digits>`');

/** searchSchema is a part of a text that is looked for, whatever its case. */
export const searchSchema = z
  .string()
  .min(1, { error: 'q must not be empty' })
  .max(200, { error: 'q must have at most 200 characters' });

/** directionSchema turns the natural direction of an order around. */
export const directionSchema = z.enum(['asc', 'desc'], { error: 'must be asc or desc' });

/** imagesQuery narrows, orders and pages the list of images. */
export const imagesQuery = z.strictObject({
  filter: z
    .enum(IMAGE_STATES, {
      error: ({ input }) =>
        `unknown filter ${JSON.stringify(String(input).slice(0, 80))}; the states are ${IMAGE_STATES.join(', ')}`,
    })
    .optional()
    .describe('Images in this state'),
  q: searchSchema.optional().describe('A part of a name or of the digest'),
  sort: z
    .enum(IMAGE_SORTS, { error: `sort must be one of ${IMAGE_SORTS.join(', ')}` })
    .optional()
    .describe('`attention` where it is left out: by state, then by severity'),
  order: directionSchema.optional().describe('Names ascend and all else descends where it is left out'),
  ...pageSchema.shape,
});

/** imagePath is the parameter of an image's path. */
export const imagePath = z.strictObject({ digest: digestSchema });

const stateSchema = z
  .enum(IMAGE_STATES)
  .describe(
    'Blocked: its last admission review was denied. Unscanned. Compliant. Not compliant: admitted and scanned, and outside a policy now',
  );

const osSchema = z
  .object({
    family: z.string(),
    name: z.string(),
    eosl: z.boolean().describe('Whether its support has ended'),
  })
  .nullable()
  .describe('Operating system; null when the scanner recognised none');

/** severityCountsSchema counts findings: one CVE in two packages is two. */
export const severityCountsSchema = z
  .object({ critical: count, high: count, medium: count, low: count, unknown: count })
  .meta({ id: 'SeverityCounts' });

const platformSchema = z
  .object({
    platform: z.string().describe('Such as `linux/arm64`'),
    state: z.enum(['scanned', 'missing']).describe('Missing: nodes have it, and there is no completed scan'),
  })
  .meta({ id: 'ImagePlatform' });

const scanSummarySchema = z.object({
  scanned_at: time.nullable(),
  os: osSchema,
  findings: severityCountsSchema,
  fixable: count.describe('Findings that a version repairs'),
  known_exploited: count,
  triaged: count.describe('Findings that a triage decision covers now'),
  platforms: z
    .array(platformSchema)
    .nullish()
    .describe('The platforms that it is needed for; absent where it is scanned as a whole'),
});

const reviewSchema = z
  .object({
    row_id: z.int().describe('Number of the ledger row'),
    time,
    allowed: z.boolean(),
    namespace: z.string().nullable(),
    image: z.string().describe('As written in the pod'),
    reason: z.string(),
    label: z.string().nullable(),
    policy: z.string().nullable(),
    break_glass: z.boolean(),
  })
  .meta({ id: 'ImageReview' });

const answerSchema = z
  .object({
    namespace: z
      .string()
      .nullable()
      .describe('Null for an image that was never seen: policies of the whole cluster are asked'),
    image: z.string(),
    policy: z.string(),
    enforcement: z.enum(['Audit', 'Enforce']),
    verdict: z.enum(['admit', 'refuse', 'unknown']),
    label: z.string().nullable(),
    reason: z.string().describe('The sentence of a denial, or the fact that is not known'),
  })
  .meta({ id: 'PolicyAnswer' });

/** scanFailureSchema is why an image, or one of its platforms, could not be scanned since a scan of it succeeded last. */
const scanFailureSchema = z
  .object({
    platform: z.string().nullable().describe('Such as `linux/arm64`; null where no platform was chosen'),
    reason: z.enum(SCAN_FAILURE_REASONS),
    message: z.string().max(400).describe('What the registry or the scanner said, without secrets'),
    hint: z.string().describe('What to do'),
    since: time.describe('When the first attempt failed since a scan succeeded last'),
    last_at: time.describe('When the newest attempt failed'),
    attempts: z.int().min(1).describe('Attempts that failed since then'),
    state: z
      .enum(SCAN_FAILURE_STATES)
      .describe('`given_up`: it is scanned again when somebody asks (`POST /images/scan`)'),
    again_at: time.nullable().describe('When it is tried again; null unless it waits'),
  })
  .meta({ id: 'ScanFailure' });

const itemShape = {
  digest: z.string(),
  name: z.string().nullable().describe('The name it was seen under last'),
  state: stateSchema,
  namespaces: z.array(z.string()).describe('Where it was seen, by name; 50 at most'),
  last_review: reviewSchema.nullable(),
  next_admission: answerSchema
    .nullable()
    .describe('What the next admission would meet; null when every policy admits it'),
  scan_failures: z
    .array(scanFailureSchema)
    .describe('Why it could not be scanned, by platform; empty where the newest attempts succeeded'),
};

/** imageItemSchema is an image in the list. */
const imageItemSchema = z
  .object({ ...itemShape, scan: scanSummarySchema.nullable().describe('Null: never scanned') })
  .meta({ id: 'Image' });

/** imageListSchema is a page of images with the tiles. */
export const imageListSchema = listOf(imageItemSchema)
  .extend({
    states: z
      .object(Object.fromEntries(IMAGE_STATES.map((state) => [state, count])) as Record<string, typeof count>)
      .describe('How many of all images are in each state, whatever the filter'),
  })
  .meta({ id: 'Images' });

const proofs = z
  .array(z.record(z.string(), z.unknown()))
  .nullable()
  .describe('In the form of the ledger export; null: never recorded');

/** imageDetailSchema is all that is known of one image. */
export const imageDetailSchema = z
  .object({
    ...itemShape,
    explanation: z.string().describe('Why it is in its state, and what the next admission would meet'),
    names: z.array(z.string()),
    source: z.string().nullable().describe('Repository that it says it was made from'),
    first_seen_at: time,
    facts_version: z.int(),
    scan: scanSummarySchema
      .extend({
        recorded_at: time.nullable(),
        scanner: z
          .object({ name: z.string(), version: z.string(), db_updated_at: time.nullable() })
          .nullable(),
        platforms: z
          .array(
            platformSchema
              .extend({
                digest: z.string().nullable().describe('Of the image of this platform, where it is known'),
                scanned_at: time.nullable(),
                os: osSchema,
              })
              .meta({ id: 'ScannedPlatform' }),
          )
          .nullish()
          .describe('The platforms that it is needed for; absent where it is scanned as a whole'),
      })
      .nullable(),
    scan_requested_at: time.nullable().describe('When a scan was asked for that is not made yet'),
    places: z
      .array(
        reviewSchema.extend({ signals: z.array(z.string()).nullable(), exposed_by: z.string().nullable() }),
      )
      .describe('The newest row in each namespace'),
    answers: z
      .array(answerSchema)
      .describe('What each policy says where the image stands; a thousand at most'),
    findings: z
      .array(
        z.object({
          cve: z.string(),
          severity: z.enum(SEVERITIES),
          package: z.string(),
          installed: z.string(),
          fixed: z.string().nullable(),
          known_exploited: z.boolean().nullable().describe('Null: never looked up'),
          triaged_until: time.nullable(),
          platforms: z
            .array(z.string())
            .nullish()
            .describe('Those that have it; absent: each that is scanned'),
          ...advisorySchema.shape,
          found_at: foundAtSchema,
        }),
      )
      .nullable()
      .describe('Most severe first; null: never scanned'),
    triage: z.array(triageSchema).describe('Newest first'),
    signatures: proofs,
    attestations: proofs,
    provenance: proofs,
    vex: proofs,
    proofs_collected: z
      .object({
        tried_at: time.nullable(),
        collected_at: time.nullable().describe('When all of it was last read'),
        due_at: time.describe('When it is looked for again'),
        problems: z
          .array(z.object({ where: z.string(), reason: z.string(), message: z.string() }))
          .describe('What could not be read or verified, and what does not count, with why'),
      })
      .nullable()
      .describe('How looking for the four stands; null: they were never looked for'),
  })
  .meta({ id: 'ImageDetail' });

/** decidedFromSchema is what the webhook decides an image from beside its pod, whole and in the order in which it is recorded. */
export const decidedFromSchema = z
  .object({
    cold_image_policy: z
      .enum(['AllowAndScan', 'DenyUntilScanned'])
      .describe('Decision on images without a scan record, for policies without `admissionTiming`'),
    image: z.record(z.string(), z.unknown()).describe('The facts, as a line of the ledger export has them'),
    scan_failures: z
      .array(scanFailureSchema)
      .optional()
      .describe('Why it could not be scanned; no fact that it is decided from. Absent at earlier versions'),
  })
  .meta({ id: 'DecidedFrom' });

/** scanRequestSchema asks for scans. */
export const scanRequestSchema = z
  .strictObject({
    digests: z
      .array(z.string(), { error: 'digests must be a list of digests' })
      .min(1, { error: 'digests must name at least one digest' })
      .max(MAX_SCAN_DIGESTS, { error: `digests must name at most ${MAX_SCAN_DIGESTS} digests` }),
  })
  .meta({ id: 'ScanRequest' });

/** scanRequestedSchema tells what became of each digest. */
export const scanRequestedSchema = z
  .object({
    queued: z.array(z.string()),
    already_queued: z.array(z.string()),
    unknown: z.array(z.string()).describe('No image of this digest is known'),
  })
  .meta({ id: 'ScanRequested' });

/** ImageItemBody is an image in the list as the API answers it. */
export type ImageItemBody = z.infer<typeof imageItemSchema>;
/** ImageListBody is the answer of `GET /images`. */
export type ImageListBody = z.infer<typeof imageListSchema>;
/** ImageDetailBody is the answer of `GET /images/{digest}`. */
export type ImageDetailBody = z.infer<typeof imageDetailSchema>;
/** DecidedFromBody is the answer of `GET /images/{digest}/facts`. */
export type DecidedFromBody = z.infer<typeof decidedFromSchema>;
/** ScanRequestedBody is the answer of `POST /images/scan`. */
export type ScanRequestedBody = z.infer<typeof scanRequestedSchema>;
