import type { z } from 'zod';
import { fieldSentence, nearest, Secret, type FieldFault } from '../base/index.ts';
import { ChannelError } from './channel-error.ts';
import type { StoredChannel } from './channel.ts';
import type { ChannelEvent } from './events.ts';
import {
  CHANNEL_KINDS,
  CREDENTIAL_FIELDS,
  isTrackerKind,
  kindOf,
  SECRET_FIELDS,
  tellerOf,
  type ChannelKind,
  type CredentialField,
  type SettingsByKind,
} from './kinds.ts';
import type { ChannelRules } from './rules.ts';
import { channelSchemas, HEAD, type ChannelSchemas } from './schema.ts';

/** ChannelDocument is a channel as a person writes it, once read. */
export interface ChannelDocument {
  readonly kind: ChannelKind;
  readonly name: string;
  readonly enabled: boolean;
  readonly subscriptions: readonly ChannelEvent[];
  /** Those of its kind with their defaults, without tracker credentials; a secret that was left out is left out. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Tracker credentials that were entered. */
  readonly credentials: readonly { readonly field: CredentialField; readonly secret: Secret }[];
}

/** ReadDocument reads a channel's document. Throws ChannelError `invalid_request` with every fault by its path. */
export type ReadDocument = (value: unknown) => ChannelDocument;

/** openDocuments gives the reader of documents under the rules of the process. */
export function openDocuments(rules: ChannelRules): ReadDocument {
  const schemas = channelSchemas(rules);
  return (value) => {
    const kind = kindIn(value);
    const parsed = schemas[kind].schema.safeParse(value, { reportInput: false });
    if (!parsed.success) throw refusal(allFaults(kind, schemas, parsed.error.issues));
    const read = parsed.data as Readonly<Record<string, unknown>> &
      Pick<ChannelDocument, 'name' | 'enabled' | 'subscriptions'>;
    const { name, enabled, subscriptions } = read;
    return {
      kind,
      name,
      enabled,
      subscriptions,
      settings: pick(read, (field) => !HEAD.includes(field) && !isCredential(field)),
      credentials: CREDENTIAL_FIELDS.flatMap((field) => {
        const entered = read[field];
        return typeof entered === 'string' ? [{ field, secret: new Secret(entered) }] : [];
      }),
    };
  };
}

/** For what is stored: where an address may lead is asked when it is written and when it is called. */
const KEPT = channelSchemas({ testLoopback: true, allowedHosts: [] });

/** readSettings reads the settings of a stored channel; a sentence says why they cannot be used. */
export function readSettings<K extends ChannelKind>(
  kind: K,
  stored: Readonly<Record<string, unknown>>,
): { readonly settings: SettingsByKind[K] } | { readonly fault: string } {
  // What an earlier release kept beside them is left out.
  const known = pick(stored, (field) => KEPT[kind].fields.includes(field) && !isCredential(field));
  const parsed = KEPT[kind].schema.safeParse({ ...known, kind, name: 'stored' });
  if (!parsed.success) {
    const [first] = allFaults(kind, KEPT, parsed.error.issues);
    return { fault: first === undefined ? 'its settings cannot be read' : sentence(first) };
  }
  const read = parsed.data as Readonly<Record<string, unknown>>;
  const settings = pick(read, (field) => !HEAD.includes(field) && !isCredential(field));
  const missing = missingSecret(kind, settings);
  if (missing !== null) return { fault: `${missing} is missing` };
  return { settings: { ...kindOf(kind).unset, ...settings } as unknown as SettingsByKind[K] };
}

/** missingSecret names the secret that a channel which only tells cannot do without and has not; null for none. */
export function missingSecret(kind: ChannelKind, settings: Readonly<Record<string, unknown>>): string | null {
  if (isTrackerKind(kind)) return null;
  const { secrets } = tellerOf(kind);
  return (
    secrets.find(({ field, required }) => required && typeof settings[field] !== 'string')?.field ?? null
  );
}

/**
 * toDocument gives a channel as a person would write it, without any secret: written back as it is, it changes nothing. Of a faulty channel
 * it gives what is stored, so that it can be fixed.
 */
export function toDocument(channel: StoredChannel): Readonly<Record<string, unknown>> {
  const { kind, name, enabled, subscriptions } = channel;
  const settings: Readonly<Record<string, unknown>> = { ...(channel.settings ?? channel.stored) };
  const known = KEPT[kind].fields.filter(
    (field) => !HEAD.includes(field) && !isSecret(field) && !isCredential(field),
  );
  const shown = pick(settings, (field) => known.includes(field) && settings[field] !== null);
  return { kind, name, enabled, subscriptions, ...shown };
}

function isCredential(field: string): boolean {
  return (CREDENTIAL_FIELDS as readonly string[]).includes(field);
}

function isSecret(field: string): boolean {
  return (SECRET_FIELDS as readonly string[]).includes(field);
}

function pick(
  from: Readonly<Record<string, unknown>>,
  keep: (field: string) => boolean,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(from).filter(([field, value]) => value !== undefined && keep(field)),
  );
}

function kindIn(value: unknown): ChannelKind {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw refusal([
      { path: '', message: 'a channel is an object with kind, name and the fields of its kind' },
    ]);
  const { kind } = value as { readonly kind?: unknown };
  const known = CHANNEL_KINDS.find((one) => one === kind);
  if (known !== undefined) return known;
  const kinds = `the kinds are ${CHANNEL_KINDS.join(', ')}`;
  if (kind === undefined) throw refusal([{ path: 'kind', message: `kind is missing; ${kinds}` }]);
  const meant = typeof kind === 'string' ? nearest(kind, CHANNEL_KINDS) : null;
  const hint = meant === null ? '' : ` (did you mean "${meant}"?)`;
  // What stands there is not repeated: it may be a secret in the wrong place.
  throw refusal([{ path: 'kind', message: `kind is unknown${hint}; ${kinds}` }]);
}

/** A number that is not a safe integer breaks two rules and is one fault. */
function allFaults(
  kind: ChannelKind,
  schemas: ChannelSchemas,
  issues: readonly z.core.$ZodIssue[],
): readonly FieldFault[] {
  const all = issues.flatMap((issue) => faults(kind, schemas, issue));
  return all.filter(
    ({ path, message }, at) => all.findIndex((one) => one.path === path && one.message === message) === at,
  );
}

function faults(kind: ChannelKind, schemas: ChannelSchemas, issue: z.core.$ZodIssue): FieldFault[] {
  const path = issue.path
    .map((step, at) => (typeof step === 'number' ? `[${step}]` : `${at > 0 ? '.' : ''}${String(step)}`))
    .join('');
  if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
  const known = schemas[kind].fields;
  return issue.keys.map((key) => {
    const meant = nearest(key, known);
    const message = `unknown field ${JSON.stringify(key)}`;
    const others = CHANNEL_KINDS.filter((one) => schemas[one].fields.includes(key));
    if (meant !== null) return { path: key, message: `${message}; did you mean "${meant}"?` };
    return {
      path: key,
      message:
        others.length === 0
          ? message
          : `${message}: ${others.join(', ')} channels have it, and this is a channel of the kind ${kind}`,
    };
  });
}

const sentence = (fault: FieldFault): string => fieldSentence(fault, ' ');

/** refusal refuses a document with every fault; the first is its sentence. */
export function refusal(fields: readonly FieldFault[], hint?: string): ChannelError {
  const [first] = fields;
  return new ChannelError(
    'invalid_request',
    first === undefined ? 'the channel is not valid' : sentence(first),
    {
      fields,
      hint,
    },
  );
}
