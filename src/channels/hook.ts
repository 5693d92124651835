import { CHANNEL_EVENTS } from './events.ts';
import { webAddress } from './fields.ts';
import type { Teller } from './kind.ts';

/** HookSettings are those of a chat. */
export interface HookSettings {
  /** Never answered, since anyone who knows it can post; stored as it is. */
  readonly webhookUrl: string;
}

/** hook makes a kind whose address is its secret; `name` is the kind's as people write it, `address` the question for its address. */
export const hook = <K extends string>(
  kind: K,
  { name, address }: { readonly name: string; readonly address: string },
): Teller<K, HookSettings, 'webhookUrl'> => ({
  kind,
  events: CHANNEL_EVENTS,
  fields: (rules) => ({ webhookUrl: webAddress(rules).optional() }),
  target: ({ webhookUrl }) => new URL(webhookUrl).host,
  secrets: [{ field: 'webhookUrl', required: true, boundTo: [] }],
  needsSecret: () => true,
  setup: {
    name,
    example: { webhookUrl: 'https://hooks.example.com/services/a' },
    options: [],
    questions: { webhookUrl: address },
  },
});
