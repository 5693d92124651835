import { z } from 'zod';
import { hook, type HookSettings } from '../hook.ts';
import type { Teller } from '../kind.ts';

/** WebhookSettings are those of a plain webhook. */
export interface WebhookSettings extends HookSettings {
  /** `whsec_` and Base64 of 24 to 64 bytes, by which messages are signed; null for none. Never answered. */
  readonly secret: string | null;
  readonly format: 'cloudevents';
}

const { fields, secrets, setup, ...chat } = hook('webhook', {
  name: 'Webhook (CloudEvents)',
  address: 'Address that messages are posted to (not shown)',
});

const SECRET = 'must be whsec_ and Base64 of 24 to 64 bytes, as Standard Webhooks has it';

export const webhook: Teller<'webhook', WebhookSettings, 'webhookUrl' | 'secret'> = {
  ...chat,
  fields: (rules) => ({
    ...fields(rules),
    secret: z.string({ error: SECRET }).trim().refine(isSecret, { error: SECRET }).nullish(),
    format: z.literal('cloudevents', { error: 'must be cloudevents' }).default('cloudevents'),
  }),
  unset: { secret: null },
  setup: {
    ...setup,
    questions: {
      ...setup.questions,
      secret: 'Secret that signs messages, whsec_ and Base64 of 24 to 64 bytes (not shown)',
    },
  },
  secrets: [...secrets, { field: 'secret', required: false, boundTo: [] }],
};

function isSecret(text: string): boolean {
  const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]{32,88}={0,2})$/.exec(text) ?? [];
  const bytes = Buffer.from(base64, 'base64');
  return bytes.toString('base64') === base64 && bytes.length >= 24 && bytes.length <= 64;
}
