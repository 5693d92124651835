import { z } from 'zod';
import { nearest } from '../base/index.ts';
import { CHANNEL_EVENTS, type ChannelEvent } from './events.ts';
import { flag, text } from './fields.ts';
import { CHANNEL_KINDS, kindOf, type ChannelKind } from './kinds.ts';
import type { ChannelRules } from './rules.ts';
import { defaultEvents } from './subscription.ts';

/** Events of the closed list; one named twice counts once. */
const subscriptions = (standard: readonly ChannelEvent[]) =>
  z
    .array(
      z.enum(CHANNEL_EVENTS, {
        error: ({ input }) => {
          const meant = typeof input === 'string' ? nearest(input, CHANNEL_EVENTS) : null;
          return `is not an event${meant === null ? '' : ` (did you mean "${meant}"?)`}; the events are ${CHANNEL_EVENTS.join(', ')}`;
        },
      }),
      { error: 'must be a list of events' },
    )
    .max(50, { error: 'must have at most 50 events' })
    .transform((events) => CHANNEL_EVENTS.filter((event) => events.includes(event)))
    .default([...standard]);

/** HEAD are the fields of every channel. */
export const HEAD = ['kind', 'name', 'enabled', 'subscriptions'];

/** ChannelSchema is the schema of one kind's document; what it does not know is refused. */
export interface ChannelSchema {
  readonly fields: readonly string[];
  readonly schema: z.ZodType;
}

/** ChannelSchemas are those of every kind. */
export type ChannelSchemas = Readonly<Record<ChannelKind, ChannelSchema>>;

/** channelSchemas gives them under the rules of the process. */
export function channelSchemas(rules: ChannelRules): ChannelSchemas {
  const entries = CHANNEL_KINDS.map((kind): [ChannelKind, ChannelSchema] => {
    const object = kindOf(kind);
    const document = z.strictObject({
      kind: z.literal(kind),
      name: text('name of a channel', 100),
      enabled: flag(true),
      subscriptions: subscriptions(defaultEvents(kind)),
      ...object.fields(rules),
    });
    const schema = object.together?.(document, rules) ?? document;
    return [kind, { fields: Object.keys(document.shape), schema }];
  });
  return Object.fromEntries(entries) as ChannelSchemas;
}

/** channelJsonSchema describes the documents of every kind, for the description of the API. */
export function channelJsonSchema(): Readonly<Record<string, unknown>> {
  const schemas = channelSchemas({ testLoopback: false, allowedHosts: [] });
  const oneOf = Object.values(schemas).map(({ schema }) => {
    const { $schema: _dialect, ...described } = z.toJSONSchema(schema, {
      io: 'input',
      unrepresentable: 'any',
    });
    return described;
  });
  return { oneOf };
}

/** channelFieldTypes gives the type of each field's value in JSON, where it has only one. */
export function channelFieldTypes(): ReadonlyMap<string, unknown> {
  const described = channelJsonSchema()['oneOf'] as readonly {
    readonly properties: Readonly<Record<string, { readonly type?: unknown }>>;
  }[];
  return new Map(
    described.flatMap(({ properties }) =>
      Object.entries(properties).map(([field, { type }]) => [field, type]),
    ),
  );
}
