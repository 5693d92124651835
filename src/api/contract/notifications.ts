import { z } from 'zod';
import { parseDuration } from '../../base/index.ts';
import { CHANNEL_EVENTS, MAX_MUTE, MESSAGE_ID } from '../../channels/index.ts';
import { DELIVERY_STATES } from '../../notify/index.ts';
import { moment } from './moment.ts';
import { pageSchema } from './paging.ts';

const time = z.iso.datetime().describe('RFC 3339, UTC');

/** DELIVERIES_PAGE is how many messages are given where no limit is asked for. */
export const DELIVERIES_PAGE = 100;
/** MAX_DELIVERIES is how many are given at most. */
export const MAX_DELIVERIES = 1000;

/** deliveriesQuery pages the messages of a channel. */
export const deliveriesQuery = z.strictObject({
  state: z
    .enum(DELIVERY_STATES, { error: `state must be one of ${DELIVERY_STATES.join(', ')}` })
    .optional()
    .describe('Messages in this state'),
  limit: pageSchema.shape.limit.describe(
    `Messages of the page, at most ${MAX_DELIVERIES}; ${DELIVERIES_PAGE} where it is left out`,
  ),
  offset: pageSchema.shape.offset,
});

/** deliverySchema is a message to a channel, and what became of it. */
export const deliverySchema = z
  .object({
    message: z.string().describe('Its id, the same on every try: `webhook-id`, and the left of `Message-ID`'),
    channel_id: z.string(),
    channel: z.string().describe('Name of the channel then'),
    kind: z.string(),
    to: z.string().describe('Where it went, without a secret'),
    title: z.string(),
    events: z.array(z.object({ event: z.enum(CHANNEL_EVENTS), count: z.int().min(1) })),
    state: z.enum(DELIVERY_STATES),
    created_at: time,
    attempts: z.int().min(0).describe('Tries since it was last handed in'),
    attempted_at: time.nullable(),
    next_attempt_at: time.nullable().describe('Null once it is sent or failed'),
    ended_at: time.nullable(),
    answer: z.string().nullable().describe('What the other side said when it took the message'),
    last_error: z.string().nullable(),
  })
  .meta({ id: 'Delivery' });

/** DeliveryBody is a message as the API answers it. */
export type DeliveryBody = z.infer<typeof deliverySchema>;

/** resendBody names messages that are sent again, or the time since when those that failed are. */
export const resendBody = z
  .strictObject({
    messages: z
      .array(z.string().regex(MESSAGE_ID, { error: 'is not a valid id of a message' }))
      .min(1, { error: 'is empty' })
      .max(1000, { error: 'must have at most 1000 ids' })
      .optional()
      .describe('Ids of messages, sent or failed'),
    since: moment
      .meta({ description: 'Messages that failed and were made since this time', format: 'date-time' })
      .optional(),
  })
  .refine(({ messages, since }) => (messages === undefined) !== (since === undefined), {
    error: 'must have either messages or since',
  })
  .meta({ id: 'Resend' });

/** resentSchema is how many messages are sent again. */
export const resentSchema = z
  .object({ resent: z.int().min(0).describe('Messages that wait to be sent again, each with its id') })
  .meta({ id: 'Resent' });

/** muteBody is for how long a channel is told nothing, and why. */
export const muteBody = z
  .strictObject({
    for: z
      .string()
      .transform((text, issues) => {
        const ms = parseDuration(text);
        if (ms !== null && ms > 0 && ms <= MAX_MUTE) return ms;
        issues.addIssue({
          code: 'custom',
          message: 'must be a duration of at most 720h, such as 6h or 30m',
        });
        return z.NEVER;
      })
      .meta({ description: 'How long, such as `6h`; at most 720h', examples: ['6h'] }),
    reason: z
      .string()
      .trim()
      .min(1, { error: 'is empty' })
      .max(500, { error: 'must have at most 500 characters' })
      .describe('Why; it stands in the audit log'),
  })
  .meta({ id: 'Mute' });

/** muteSchema is a mute that holds. */
export const muteSchema = z
  .object({
    muted_at: time,
    until: time,
    reason: z.string(),
    muted_by: z.string().nullable().describe('`user:<account_id>`'),
  })
  .meta({ id: 'MuteState' });

/** MuteBody is a mute as the API answers it. */
export type MuteBody = z.infer<typeof muteSchema>;
