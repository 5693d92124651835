import { z } from 'zod';
import { CHANNEL_EVENTS, CHANNEL_KINDS, channelJsonSchema } from '../../channels/index.ts';
import { muteSchema } from './notifications.ts';

/**
 * channelDocument is a channel as a person writes it. It is described by the schema of its kind; the channels' own reader checks it,
 * so that it says the same to the command line, an import and a call.
 */
export const channelDocument = z
  .unknown()
  .refine((value) => value !== undefined, { error: 'is missing; a channel is needed' })
  .meta({
    ...channelJsonSchema(),
    id: 'ChannelDocument',
    description:
      'A channel with the fields of its kind. Secrets (`token`, `apiToken`, `bearerToken`, `password`, `webhookUrl`) are written and never answered; one that an update leaves out stays as it is',
  });

const time = z.iso.datetime().describe('RFC 3339, UTC');
const event = z.enum(CHANNEL_EVENTS);

/** channelSchema is a channel as it stands. */
export const channelSchema = z
  .object({
    id: z.string(),
    kind: z.enum(CHANNEL_KINDS),
    name: z.string(),
    enabled: z.boolean().describe('A disabled tracker channel files nothing and still closes what it opened'),
    subscriptions: z.array(event),
    without_effect: z
      .array(event)
      .describe('Subscriptions that a channel of this kind accepts and that do nothing'),
    target: z.string().describe('Where it leads: a repository, a project, addresses, a host'),
    document: z
      .record(z.string(), z.unknown())
      .describe('The channel without its secrets: written back as it is, it changes nothing'),
    secrets: z.array(
      z.object({
        field: z.string(),
        state: z
          .enum(['set', 'missing', 'unreadable'])
          .describe('`unreadable`: it was sealed with another DATA_KEY and is entered again'),
      }),
    ),
    fault: z.string().nullable().describe('Why it cannot be used as it is stored'),
    notifications: z
      .object({
        waiting: z.int().min(0).describe('Messages, and subjects gathered for the next'),
        failed: z.int().min(0).describe('Messages of the last 24 hours that were given up'),
        muted: muteSchema.nullable(),
        key: z
          .string()
          .optional()
          .describe('Ed25519 key that signs what a webhook gets, as Standard Webhooks has it'),
      })
      .optional()
      .describe('State of its deliveries; only where one channel is shown that is not a tracker'),
    paused: z
      .object({
        since: time.describe('When the backup was made that the service was restored from'),
        resume_asked_at: time.nullable(),
        error: z.string().nullable().describe('Why it cannot go on yet'),
      })
      .optional()
      .describe('Set since a restore until it is resumed: it files, closes and sends nothing'),
    created_at: time,
    updated_at: time,
    updated_by: z.string().nullable().describe('`user:<account_id>`'),
    first_run_at: time.nullable().describe('First run that had a candidate'),
    not_before: time.nullable().describe('The provider asked for quiet until then'),
    last_error: z.string().nullable(),
    last_error_at: time.nullable(),
  })
  .meta({ id: 'Channel' });

/** ChannelBody is a channel as the API answers it. */
export type ChannelBody = z.infer<typeof channelSchema>;

/** writtenChannelSchema is the answer of a write. */
export const writtenChannelSchema = channelSchema
  .extend({
    changed: z.boolean().describe('False when nothing differed: nothing was written'),
    warnings: z
      .array(z.string())
      .describe(
        'What the channel allows that its writer should know, such as labels of images that lead to any repository of a public host',
      ),
  })
  .meta({ id: 'WrittenChannel' });

/** WrittenChannelBody is the answer of a write. */
export type WrittenChannelBody = z.infer<typeof writtenChannelSchema>;

/** channelTestSchema is what a test found. */
export const channelTestSchema = z
  .object({
    works: z.boolean(),
    status: z
      .enum(['works', 'fails', 'limited'])
      .describe('`limited`: the limit of the tracker kept it from answering, so nothing was found'),
    limited_until: time.nullable().describe('When that limit ends'),
    detail: z.string().describe('What was found, in one sentence'),
    hints: z.array(z.string()).describe('What to do about it'),
    wrote: z.boolean().describe('Whether a test message was sent; a tracker is only read'),
  })
  .meta({ id: 'ChannelTest' });

/** ChannelTestBody is what a test found. */
export type ChannelTestBody = z.infer<typeof channelTestSchema>;

/** channelId is the id of a channel; those of earlier releases have other forms than ours. */
const channelId = z
  .string()
  .regex(/^[A-Za-z0-9_.:-]{1,128}$/, { error: 'is not the ID of a channel' })
  .describe('Id of the channel');

/** channelPath is the parameter of the paths. */
export const channelPath = z.strictObject({ id: channelId });

/** adoptionBody names the deleted channel whose rows are adopted. */
export const adoptionBody = z
  .strictObject({ channel: channelId.describe('Id of the deleted channel, as its rows have it') })
  .meta({ id: 'Adoption' });

/** adoptedSchema is what became of its rows. */
export const adoptedSchema = z
  .object({
    adopted: z.int().min(0).describe('Open rows that this channel closes from now on'),
    left: z.int().min(0).describe('Open rows whose issue lies on another host, and which stay as they are'),
  })
  .meta({ id: 'Adopted' });

/** AdoptedBody is what became of the rows. */
export type AdoptedBody = z.infer<typeof adoptedSchema>;
