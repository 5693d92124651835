import { z } from 'zod';
import {
  EFFECTS,
  LAST_VERDICTS,
  MAX_RULES,
  parsePriority,
  PRIORITIES,
  runtimeRule,
} from '../../runtime/index.ts';
import { moment } from './moment.ts';
import { listOf, pageSchema } from './paging.ts';

const time = z.iso.datetime().describe('RFC 3339, UTC');
const { $schema: _dialect, ...document } = z.toJSONSchema(runtimeRule, { io: 'input' });

/** ruleDocument is a rule inside a body. Its own reader checks it, so that its problems read as those of a file. */
export const ruleDocument = z
  .unknown()
  .refine((value) => value !== undefined, { error: 'is missing; a runtime rule is needed' })
  .meta({ ...document, id: 'RuntimeRuleDocument' });

/** storedRuleSchema is a rule as it is kept. */
export const storedRuleSchema = z
  .object({
    name: z.string(),
    place: z.int().min(1).describe('Rules are asked in this order; the first that matches decides'),
    enabled: z.boolean(),
    action: z.enum(['allow', 'record', 'notify']),
    created_at: time,
    created_by: z.string().nullable().describe('Name of the account, or `user:<account_id>` once anonymised'),
    updated_at: time,
    fault: z
      .string()
      .nullable()
      .describe(
        'Why its match, of an old release, cannot be read: it matches nothing until it is written again',
      ),
    document: ruleDocument,
  })
  .meta({ id: 'RuntimeRule' });

/** StoredRuleBody is a rule as the API answers it. */
export type StoredRuleBody = z.infer<typeof storedRuleSchema>;

/** writtenRuleSchema is the answer of a write. */
export const writtenRuleSchema = storedRuleSchema
  .extend({ changed: z.boolean().describe('False when it stood so already: nothing was written') })
  .meta({ id: 'WrittenRuntimeRule' });

/** rulesSchema is the list. */
export const rulesSchema = listOf(storedRuleSchema).meta({ id: 'RuntimeRules' });

/** rulesBody is a whole list in its order. */
export const rulesBody = z.strictObject({
  rules: z
    .array(ruleDocument, { error: 'rules must be a list of runtime rules' })
    .max(MAX_RULES, { error: `rules must be at most ${MAX_RULES}` }),
});

/** replacedRulesSchema says what a whole list changed. */
export const replacedRulesSchema = listOf(storedRuleSchema)
  .extend({
    added: z.array(z.string()),
    updated: z.array(z.string()),
    deleted: z.array(z.string()),
    reordered: z.boolean(),
  })
  .meta({ id: 'ReplacedRuntimeRules' });

const ruleName = z.string().min(1).max(200).describe('Name of the rule');

/** rulePath is the parameter of the paths. */
export const rulePath = z.strictObject({ name: ruleName });

const beside = {
  before: ruleName.optional().describe('Before the rule of this name'),
  after: ruleName.optional().describe('Behind the rule of this name'),
};
const one = (given: Readonly<Record<string, unknown>>): number =>
  Object.values(given).filter((value) => value !== undefined).length;
const count = { error: `place must be a whole number between 1 and ${MAX_RULES}` };
const PLACE = 'From 1; beyond the end is the end';

/** whereQuery is where a new rule comes to stand. */
export const whereQuery = z
  .strictObject({
    ...beside,
    place: z.coerce.number(count).int(count).min(1, count).max(MAX_RULES, count).optional().describe(PLACE),
  })
  .refine((given) => one(given) <= 1, { error: 'only one of before, after and place may be given' });

/** moveBody is where a rule is moved to. */
export const moveBody = z
  .strictObject({
    ...beside,
    place: z.int(count).min(1, count).max(MAX_RULES, count).optional().describe(PLACE),
  })
  .refine((given) => one(given) === 1, { error: 'needs one of before, after and place' });

/** EVENTS_PAGE is how many events one page may hold, each of which may have 256 KiB; where no limit is asked for it has as many. */
export const EVENTS_PAGE = 1000;
const limit = { error: `limit must be a whole number between 1 and ${EVENTS_PAGE}` };

const text = z.string().min(1).max(2000);

/** eventsQuery narrows and pages the events. */
export const eventsQuery = z
  .strictObject({
    effect: z
      .enum(EFFECTS, { error: `effect must be one of ${EFFECTS.join(', ')}` })
      .optional()
      .describe('The strongest thing that came of it'),
    rule: text
      .optional()
      .describe('Rule of the detector, runtime rule that decided, or `policy:<name>` of a stop'),
    priority: z
      .string()
      .transform((value, context) => {
        const found = parsePriority(value);
        if (found !== null) return found;
        context.addIssue({
          code: 'custom',
          message: `priority must be one of ${PRIORITIES.join(', ')}`,
        });
        return z.NEVER;
      })
      .optional()
      .describe('This priority or a more severe one'),
    image: text.optional().describe('Part of the image’s name, or its digest'),
    namespace: text.optional(),
    since: moment.meta({ description: 'Events from this time on', format: 'date-time' }).optional(),
    after: z.coerce
      .number({ error: 'after must be a whole number' })
      .int({ error: 'after must be a whole number' })
      .min(0, { error: 'after must not be below 0' })
      .max(Number.MAX_SAFE_INTEGER, { error: 'after is too large' })
      .optional()
      .describe(
        'Only events behind this id, the oldest first and none before it is decided: to follow what comes',
      ),
    limit: z.coerce
      .number(limit)
      .int(limit)
      .min(1, limit)
      .max(EVENTS_PAGE, limit)
      .optional()
      .describe(`Events of the page, at most ${EVENTS_PAGE}, which is what it has where this is left out`),
    offset: pageSchema.shape.offset,
  })
  .refine(({ after, offset }) => after === undefined || offset === undefined, {
    error: 'after and offset exclude each other',
    path: ['offset'],
  });

/** eventPath is the parameter of the path of one event. */
export const eventPath = z.strictObject({
  id: z.coerce
    .number({ error: 'is not the number of an event' })
    .int({ error: 'is not the number of an event' })
    .min(1, { error: 'is not the number of an event' })
    .max(Number.MAX_SAFE_INTEGER, { error: 'is not the number of an event' }),
});

const maybe = z.string().nullable();

/** eventSchema is an event with what came of it. */
export const eventSchema = z
  .object({
    id: z.int(),
    kind: z
      .enum(['event', 'heartbeat', 'test'])
      .describe('`heartbeat`: of the detector itself; `test`: of the connection. No rule matches a test'),
    at: time.describe('Its own time, or that of receipt where its own is far off'),
    received_at: time.nullable(),
    time: maybe.describe('As the detector wrote it'),
    rule: z.string(),
    priority: z.string(),
    source: maybe,
    host: maybe,
    output: z.string(),
    tags: z.array(z.string()),
    output_fields: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('Numbers as the detector wrote them'),
    truncated: z.boolean().describe('Whether the relay cut long strings'),
    cluster: maybe,
    namespace: maybe,
    workload: maybe,
    pod: maybe,
    pod_uid: maybe,
    container: maybe,
    image: maybe,
    digest: maybe,
    match_basis: maybe.describe(
      'How the image was found: `field`, `pod` or `none`; null until it is decided',
    ),
    last_verdict: z
      .enum(LAST_VERDICTS)
      .nullable()
      .describe('The last admission review of the image when it was decided; null before'),
    signed: z
      .boolean()
      .nullable()
      .describe('Whether a signature of the image was verified by then; null until it is decided'),
    matched: maybe.describe(
      'The runtime rule that decided; of a stop `policy:<name>`, the runtime policy that stopped the pod',
    ),
    matched_rule: maybe.describe(
      'The runtime rule that decided, of a stop too; null where none matched, and until it is decided',
    ),
    effect: maybe.describe('Null until it is decided'),
    policy: maybe.describe('The runtime policy that asks for a stop'),
    policy_effect: maybe.describe(
      'What came of that: `stop`, `would_stop`, `withheld`, `pending`, `gone`, `changed`, `refused` or `failed`',
    ),
    alerted: z.boolean().describe('Whether it gave an alert, which the throttle let through'),
    notified: z.boolean().describe('Whether an enabled channel was subscribed to the alert'),
    decided_at: time.nullable(),
  })
  .meta({ id: 'RuntimeEvent' });

/** EventBody is an event as the API answers it. */
export type EventBody = z.infer<typeof eventSchema>;

/** eventsSchema is a page of events. */
export const eventsSchema = listOf(eventSchema).meta({ id: 'RuntimeEvents' });
